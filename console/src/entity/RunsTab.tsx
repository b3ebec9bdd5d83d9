import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { WholeThing } from "../api/answers";
import { executions } from "../api/queries";
import { User } from "../operations/User";
import { Empty, Failed, Loading } from "../parts/States";
import { visible } from "../words/names";
import { grouped } from "../words/numbers";
import { duration, exactly } from "../words/when";
import { RunChart } from "./RunChart";
import { tookMs } from "./runs";

const FEW = 100;
const MANY = 1000;

/** Every run of a statement, with the record it is known by. */
export function RunsTab({ operation }: { operation: WholeThing }) {
  const [limit, setLimit] = useState(FEW);
  const { data, error, refetch } = useQuery(executions(operation.id, limit));
  if (error && !data) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="the runs" />;
  if (data.results.length === 0) return <Empty>No run of it is known.</Empty>;
  return (
    <>
      <RunChart runs={data.results} />
      <table className="sheet folds">
        <thead>
          <tr>
            <th>Ended</th>
            <th className="number">Took</th>
            <th>User</th>
            <th>Engine</th>
            <th>Its own id</th>
            <th>Record</th>
          </tr>
        </thead>
        <tbody>
          {data.results.map((run) => {
            const took = tookMs(run);
            return (
              <tr key={run.id}>
                <td>{exactly(run.ended)}</td>
                <td data-label="Took" className="number">
                  {took === null ? "unknown" : duration(took)}
                </td>
                <td data-label="User">
                  <User of={run} />
                </td>
                <td data-label="Engine">{run.engine ?? ""}</td>
                <td className="code">{[run.queryId, ...run.jobIds].filter(Boolean).join(" ")}</td>
                <td className="code">
                  {run.evidence ? (
                    <>
                      {visible(run.evidence.host)}:{visible(run.evidence.file)}
                      <small>at byte {grouped(run.evidence.offset)}</small>
                    </>
                  ) : (
                    <span className="quiet">not kept</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {data.next !== null && limit < MANY && (
        <p>
          <button type="button" className="button" onClick={() => setLimit(MANY)}>
            Show {MANY}
          </button>
        </p>
      )}
    </>
  );
}
