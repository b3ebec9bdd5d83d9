import type { Thing } from "../api/answers";
import { NameLink } from "../parts/Name";
import { Empty } from "../parts/States";
import { When } from "../parts/When";
import { sourceWord } from "../words/kinds";
import { grouped } from "../words/numbers";
import { User } from "./User";

/** Statements with who ran them last. */
export function OperationsTable({ operations, whenEmpty }: { operations: readonly Thing[]; whenEmpty: string }) {
  if (operations.length === 0) return <Empty>{whenEmpty}</Empty>;
  return (
    <table className="sheet folds">
      <thead>
        <tr>
          <th>Last run</th>
          <th>Engine</th>
          <th>User</th>
          <th className="number">Runs</th>
          <th>Statement</th>
        </tr>
      </thead>
      <tbody>
        {operations.map((operation) => (
          <tr key={operation.id}>
            <td data-label="Last run">
              <When time={operation.lastSeen} />
            </td>
            <td data-label="Engine">{sourceWord(operation.sourceType)}</td>
            <td data-label="User">
              <User of={operation} />
            </td>
            <td data-label="Runs" className="number">
              {grouped(operation.executions ?? 0)}
            </td>
            <td className="code">
              <NameLink thing={operation} longest={110} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
