import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Usage, WholeThing } from "../api/answers";
import { executions, usages as usagesOf } from "../api/queries";
import { User } from "../operations/User";
import { NameLink } from "../parts/Name";
import { Empty, Failed, Loading } from "../parts/States";
import { When } from "../parts/When";
import { sourceWord } from "../words/kinds";
import { grouped } from "../words/numbers";
import { verb } from "../words/statement";
import { RunChart } from "./RunChart";

type Role = "all" | "reads" | "writes" | "only reads";
const ROLES: Role[] = ["all", "reads", "writes", "only reads"];
/** The runs of so many statements are put into the chart. */
const CHARTED = 20;

/** Every statement that reads or writes a thing, a plain SELECT too. */
export function OperationsTab({ thing }: { thing: WholeThing }) {
  const [role, setRole] = useState<Role>("all");
  const used = useInfiniteQuery(usagesOf(thing.id));
  const usages = used.data?.pages.flatMap((page) => page.results) ?? [];
  const total = used.data?.pages[0]?.total ?? 0;
  const charted = [...new Set(usages.map((usage) => usage.operation))].slice(0, CHARTED);
  const runs = useQueries({ queries: charted.map((operation) => executions(operation)) });
  const shown = usages.filter((usage) => isOf(usage, role, usages));
  if (used.error) return <Failed error={used.error} retry={used.refetch} />;
  if (!used.data) return <Loading what="the statements" />;
  if (usages.length === 0) {
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
      <RunChart runs={runs.flatMap((query) => query.data?.results ?? [])} />
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
          {shown.map((usage) => (
            <tr key={`${usage.operation} ${usage.role}`}>
              <td>
                {usage.role === "input" ? "reads it" : "writes it"}
                <small>{verb(usage.queryText, usage.operationType)}</small>
              </td>
              <td data-label="Last run">
                <When time={usage.lastSeen} />
                {usage.firstSeen !== usage.lastSeen && (
                  <small>
                    first <When time={usage.firstSeen} />
                  </small>
                )}
              </td>
              <td data-label="User">
                <User of={usage} />
              </td>
              <td data-label="Engine">{sourceWord(usage.sourceType)}</td>
              <td className="code">
                <NameLink
                  longest={110}
                  thing={{
                    id: usage.operation,
                    type: "OPERATION",
                    qualifiedName: null,
                    originalName: null,
                    queryText: usage.queryText,
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
          The {grouped(usages.length)} that ran last, of {grouped(total)}.{" "}
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

function isOf(usage: Usage, role: Role, all: readonly Usage[]): boolean {
  if (role === "reads") return usage.role === "input";
  if (role === "writes") return usage.role === "output";
  if (role === "only reads") {
    const isWriting = all.some((other) => other.operation === usage.operation && other.role === "output");
    return usage.role === "input" && !isWriting && verb(usage.queryText, usage.operationType) === "select";
  }
  return true;
}
