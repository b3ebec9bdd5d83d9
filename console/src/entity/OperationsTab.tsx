import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { UsingOperation, WholeThing } from "../api/answers";
import { executions, usingOperations } from "../api/queries";
import { User } from "../operations/User";
import { NameLink } from "../parts/Name";
import { Empty, Failed, Loading } from "../parts/States";
import { When } from "../parts/When";
import { sourceWord } from "../words/kinds";
import { counted, grouped } from "../words/numbers";
import { verb } from "../words/statement";
import { RunChart } from "./RunChart";

type Role = "all" | "reads" | "writes" | "only reads";
const ROLES: Role[] = ["all", "reads", "writes", "only reads"];
const DOES = { reads: "reads it", writes: "writes it", both: "reads and writes it" };
/** The runs of so many statements are put into the chart. */
const CHARTED = 20;

/** Every statement that reads or writes a thing, a plain SELECT too. */
export function OperationsTab({ thing }: { thing: WholeThing }) {
  const [role, setRole] = useState<Role>("all");
  const asked = role === "only reads" ? "reads" : role;
  const used = useInfiniteQuery(usingOperations(thing.id, asked));
  const operations = used.data?.pages.flatMap((page) => page.results) ?? [];
  const total = used.data?.pages[0]?.total ?? 0;
  const charted = operations.slice(0, CHARTED).map((operation) => operation.id);
  const runs = useQueries({ queries: charted.map((operation) => executions(operation)) });
  const shown = role === "only reads" ? operations.filter(onlyReads) : operations;
  if (used.error && !used.data) return <Failed error={used.error} retry={used.refetch} />;
  if (!used.data) return <Loading what="the statements" />;
  if (operations.length === 0 && role === "all") {
    return (
      <Empty>
        <p>No statement that reads or writes it was seen.</p>
        <p className="small">
          Not every statement leaves a record: Hive tells nothing of LOAD, DROP and plain CREATE TABLE. Whether the
          agents deliver is on the page of extractors.
        </p>
      </Empty>
    );
  }
  return (
    <>
      {used.error && <Failed error={used.error} retry={used.fetchNextPage} />}
      <RunChart
        runs={runs.flatMap((query) => query.data?.results ?? [])}
        of={
          charted.length === operations.length && total === operations.length
            ? ""
            : `of the ${counted(charted.length, "statement")} that ran last`
        }
      />
      <fieldset className="group" aria-label="Which statements">
        {ROLES.map((word) => (
          <button key={word} type="button" aria-pressed={word === role} onClick={() => setRole(word)}>
            {word}
          </button>
        ))}
      </fieldset>
      <table className="sheet folds">
        <thead>
          <tr>
            <th>Does</th>
            <th>Last run</th>
            <th>User</th>
            <th>Engine</th>
            <th>Statement</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((operation) => (
            <tr key={operation.id}>
              <td>
                {DOES[operation.role]}
                <small>{verb(operation.shortText, operation.operationType)}</small>
              </td>
              <td data-label="Last run">
                <When time={operation.lastUsed} />
                {operation.firstUsed !== operation.lastUsed && (
                  <small>
                    {counted(operation.executions, "run")}, first <When time={operation.firstUsed} />
                  </small>
                )}
              </td>
              <td data-label="User">
                {operation.users.length === 0 && <User of={{}} />}
                {operation.users.map((user) => (
                  <div key={user.principalOriginal ?? user.principal}>
                    <User of={user} />
                  </div>
                ))}
                {operation.usersOfRuns < operation.executions && (
                  <small>of its {counted(operation.usersOfRuns, "newest run")}</small>
                )}
              </td>
              <td data-label="Engine">{sourceWord(operation.sourceType)}</td>
              <td className="code">
                <NameLink
                  longest={110}
                  thing={{
                    id: operation.id,
                    type: "OPERATION",
                    qualifiedName: null,
                    originalName: null,
                    queryText: operation.shortText,
                    deleted: false,
                  }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <Empty>None of them is of this kind.</Empty>}
      {used.hasNextPage && (
        <p className="quiet">
          The {grouped(operations.length)} that ran last, of {grouped(total)}.{" "}
          <button
            type="button"
            className="button"
            disabled={used.isFetchingNextPage}
            onClick={() => used.fetchNextPage()}
          >
            Show more
          </button>
        </p>
      )}
    </>
  );
}

function onlyReads(operation: UsingOperation): boolean {
  return operation.role === "reads" && verb(operation.shortText, operation.operationType) === "select";
}
