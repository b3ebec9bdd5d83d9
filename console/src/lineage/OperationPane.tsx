import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { LineageNode } from "../api/answers";
import { executions, thing } from "../api/queries";
import { RunChart } from "../entity/RunChart";
import { tookMs } from "../entity/runs";
import { User } from "../operations/User";
import { hrefOf } from "../parts/Name";
import { Statement } from "../parts/Statement";
import { Failed, Loading } from "../parts/States";
import { sourceWord } from "../words/kinds";
import { visible } from "../words/names";
import { counted, grouped } from "../words/numbers";
import { duration, exactly } from "../words/when";
import { titleOf } from "./say";

const EVIDENCE_SHOWN = 5;

/** A statement: its text, what of it is not linked, its runs and the records they are known by. */
export function OperationPane({ node }: { node: LineageNode }) {
  const whole = useQuery(thing(node.id));
  const runs = useQuery(executions(node.id));
  const ends = [...(whole.data?.inputs ?? []), ...(whole.data?.outputs ?? [])];
  const unlinked = ends.filter((end) => !end.linked);
  const target = whole.data?.outputs?.[0]?.name;
  return (
    <>
      <h2>
        {titleOf(node)} {target ? visible(target) : ""}
      </h2>
      <p className="quiet small">
        {[sourceWord(node.sourceType), counted(node.executions ?? 0, "run"), `last ${exactly(node.lastSeen)}`].join(
          " · ",
        )}{" "}
        · <User of={node} />
      </p>
      <h3>Query text</h3>
      <Statement text={node.queryText ?? ""} ends={ends} />
      <p className="small">
        <Link href={hrefOf(node.id)}>All of this statement</Link>
      </p>
      {unlinked.map((end) => (
        <p key={end.id} className="note">
          <strong>{visible(end.name)}</strong>, its {end.role}, is not linked: no source has shown it. It lived between
          two snapshots, or no extractor reads where it is.{" "}
          <Link href={hrefOf(end.id, "operations")}>Statements that name it</Link>.
        </p>
      ))}
      <h3>Runs</h3>
      {runs.error && <Failed error={runs.error} retry={runs.refetch} />}
      {runs.isPending && <Loading what="the runs" />}
      {runs.data && (
        <>
          <RunChart runs={runs.data.results} />
          <h3>How it is known</h3>
          <ul className="evidence">
            {runs.data.results.slice(0, EVIDENCE_SHOWN).map((run) => {
              const took = tookMs(run);
              return (
                <li key={run.id}>
                  <span>
                    {exactly(run.ended)}
                    {took !== null && `, took ${duration(took)}`}, <User of={run} />
                  </span>
                  {run.evidence && (
                    <code>
                      {visible(run.evidence.host)}:{visible(run.evidence.file)} at byte {grouped(run.evidence.offset)}
                    </code>
                  )}
                </li>
              );
            })}
          </ul>
          {runs.data.results.length > EVIDENCE_SHOWN && (
            <p className="small">
              <Link href={hrefOf(node.id, "runs")}>all runs</Link>
            </p>
          )}
        </>
      )}
    </>
  );
}
