import { useQuery } from "@tanstack/react-query";
import type { OperationEnd, WholeThing } from "../api/answers";
import { executions } from "../api/queries";
import { NameLink } from "../parts/Name";
import { Statement } from "../parts/Statement";
import { visible } from "../words/names";
import { counted, grouped } from "../words/numbers";
import { exactly } from "../words/when";
import { RunChart } from "./RunChart";
import { usersOf } from "./runs";

/** A statement: its text, what it reads and writes, who runs it. */
export function StatementTab({ operation }: { operation: WholeThing }) {
  const ends = [...(operation.inputs ?? []), ...(operation.outputs ?? [])];
  const runs = useQuery(executions(operation.id));
  const texts = operation.queryTexts ?? [];
  return (
    <div className="statement-sheet">
      <div className="stack">
        <Statement text={operation.queryText ?? ""} ends={ends} />
        {operation.lineageKnown === false && (
          <p className="note">
            The record of this statement says nothing of what flows where: its engine did not write it.
          </p>
        )}
        <div className="columns">
          <Ends title="Inputs" ends={operation.inputs ?? []} whenNone="It reads nothing that has a name." />
          <Ends title="Outputs" ends={operation.outputs ?? []} whenNone="It writes nothing: a plain read." />
        </div>
        {texts.length > 1 && (
          <details>
            <summary>
              {counted(operation.distinctTexts ?? texts.length, "text")} of one shape: they differ in literals only
            </summary>
            {texts.map((text) => (
              <Statement key={text.text} text={text.text} ends={ends} />
            ))}
          </details>
        )}
      </div>
      <aside className="stack">
        <h3>Runs</h3>
        {runs.data && <RunChart runs={runs.data.results} />}
        <dl className="pairs">
          <dt>runs</dt>
          <dd>{grouped(operation.executions ?? 0)}</dd>
          <dt>first</dt>
          <dd>{exactly(operation.firstSeen)}</dd>
          <dt>last</dt>
          <dd>{exactly(operation.lastSeen)}</dd>
          <dt>users of the newest runs</dt>
          <dd>
            {runs.data
              ? usersOf(runs.data.results)
                  .map(({ user, count }) => `${visible(user)} (${grouped(count)})`)
                  .join(", ")
              : runs.error
                ? "not known"
                : "…"}
          </dd>
          <dt>does</dt>
          <dd>{operation.operationType?.toLowerCase().replaceAll("_", " ") ?? "unknown"}</dd>
        </dl>
      </aside>
    </div>
  );
}

function Ends({ title, ends, whenNone }: { title: string; ends: readonly OperationEnd[]; whenNone: string }) {
  return (
    <section>
      <h3>
        {title} <span className="quiet">{ends.length}</span>
      </h3>
      {ends.length === 0 && <p className="quiet">{whenNone}</p>}
      <ul className="ends">
        {ends.map((end) => (
          <li key={end.id}>
            <NameLink
              tab="lineage"
              thing={{
                id: end.id,
                type: end.linked ? "TABLE" : null,
                qualifiedName: end.name,
                originalName: end.name,
                deleted: false,
                unlinked: !end.linked,
              }}
            />
            {end.lives > 1 && <span className="quiet small"> {counted(end.lives, "life")}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
