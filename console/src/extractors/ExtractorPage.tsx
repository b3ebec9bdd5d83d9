import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { Run } from "../api/answers";
import { segment } from "../api/ask";
import { extractors, runs } from "../api/queries";
import { Bars } from "../parts/Bars";
import { Page, Section } from "../parts/Page";
import { Scroller } from "../parts/Scroller";
import { Empty, Failed, Loading } from "../parts/States";
import { When } from "../parts/When";
import { visible } from "../words/names";
import { grouped } from "../words/numbers";
import { at, duration } from "../words/when";
import { runAddress } from "./address";
import { ExtractorsTable } from "./ExtractorsTable";
import { barsOf, runsInWords, toneOf, took } from "./outcome";
import { RunLog } from "./RunLog";

/** One extractor: each of its last runs, with what went wrong in it, and what one of them logged. */
export function ExtractorPage({ name }: { name: string }) {
  const [address] = useSearchParams();
  const chosen = address.get("run");
  const all = useQuery(extractors());
  const { data, error, refetch } = useQuery(runs(name));
  if (error && !data) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what={`the runs of ${name}`} />;
  const extractor = all.data?.results.find((candidate) => candidate.name === name);
  const last = data.results[0];
  return (
    <Page title={`Extractor ${name}`} lead={last ? visible(last.inWords) : "It has not run yet."}>
      <p>
        <Link href="/extractors">All extractors and agents</Link>
      </p>
      {extractor && (
        <div className="section">
          <ExtractorsTable extractors={[extractor]} />
        </div>
      )}
      <Section
        title={chosen ? "Log of one run" : "Log of the newest run"}
        aside={chosen && <Link href={`/extractors/${segment(name)}`}>of the newest run</Link>}
      >
        <RunLog extractor={name} run={chosen} />
      </Section>
      <Section title="Runs">
        {data.results.length === 0 ? (
          <Empty>It has not run yet.</Empty>
        ) : (
          <>
            <Bars bars={barsOf(data.results)} label={runsInWords(data.results)} height={56} />
            <div className="section">
              <Scroller what="Runs">
                <RunsTable runs={data.results} chosen={chosen} />
              </Scroller>
            </div>
          </>
        )}
      </Section>
    </Page>
  );
}

const COUNTS = [
  ["seen", "Seen"],
  ["created", "New"],
  ["changed", "Changed"],
  ["deleted", "Deleted"],
  ["held", "Held"],
  ["failed", "Failed"],
] as const;

function RunsTable({ runs: shown, chosen }: { runs: readonly Run[]; chosen: string | null }) {
  return (
    <table className="sheet">
      <thead>
        <tr>
          <th>Finished</th>
          <th>Outcome</th>
          <th className="number">Took</th>
          {COUNTS.map(([key, word]) => (
            <th key={key} className="number">
              {word}
            </th>
          ))}
          <th>What it said</th>
          <th>Log</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((run, place) => (
          <tr key={`${run.started}-${place}`}>
            <td>
              {at(run.finished)}
              <small>
                <When time={run.finished} />
              </small>
            </td>
            <td>
              <strong className={toneOf(run.outcome)}>{run.outcome}</strong>
            </td>
            <td className="number">{duration(took(run))}</td>
            {COUNTS.map(([key]) => (
              <td key={key} className={`number${run.counts[key] === 0 ? " quiet" : ""}`}>
                {grouped(run.counts[key])}
              </td>
            ))}
            <td>
              {run.message ? visible(run.message) : <span className="quiet">nothing to say</span>}
              {run.problems.map((problem) => (
                <small key={`${problem.object}${problem.reason}`} className="warn">
                  {problem.object && <code>{visible(problem.object)}</code>} {visible(problem.reason)}
                </small>
              ))}
              {run.idlePatterns.map((pattern) => (
                <small key={pattern}>
                  the pattern <code>{visible(pattern)}</code> matched nothing
                </small>
              ))}
            </td>
            <td>
              <Link
                href={runAddress(run.extractor, run.started)}
                aria-current={run.started === chosen ? "true" : undefined}
              >
                log<span className="unseen"> of the run that finished {at(run.finished)}</span>
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
