import { useQuery } from "@tanstack/react-query";
import type { Agent, Extractor, PushExtractor, Status } from "../api/answers";
import { agents, extractors, status } from "../api/queries";
import { Page, Section } from "../parts/Page";
import { Scroller } from "../parts/Scroller";
import { Awaited, Stale } from "../parts/States";
import { When } from "../parts/When";
import { sourceWord } from "../words/kinds";
import { bytes, counted, grouped } from "../words/numbers";
import { duration } from "../words/when";
import { AgentsTable } from "./AgentsTable";
import { ExtractorsTable } from "./ExtractorsTable";

/** How extractors and agents stand, and what is behind. */
export function ExtractorsPage() {
  const pull = useQuery(extractors());
  const push = useQuery(agents());
  const whole = useQuery(status());
  const questions = [pull, push, whole];
  if (!pull.data || !push.data || !whole.data) {
    return <Awaited what="extractors and agents" questions={questions} />;
  }
  const waiting = whole.data.intake.waiting;
  return (
    <Page title="Extractors and agents" lead={leadOf(pull.data.results, push.data.results, waiting)}>
      <Stale questions={questions} />
      <Section title="Pull">
        <ExtractorsTable extractors={pull.data.results} />
      </Section>
      <Section title="Push">
        <PushTable formats={pull.data.push} />
      </Section>
      <Section title="Agents">
        <AgentsTable agents={push.data.results} />
      </Section>
      <Section title="Inside the server">
        <Intake status={whole.data} />
      </Section>
    </Page>
  );
}

/** What a person needs to know first. `waiting` batches of records are in the server and not linked. */
export function leadOf(pull: readonly Extractor[], push: readonly Agent[], waiting: number): string {
  const inNeed = pull.filter((extractor) => extractor.lastRun && extractor.lastRun.outcome !== "complete").length;
  const untried = pull.filter((extractor) => !extractor.lastRun).length;
  const silent = push.filter((agent) => agent.silent).length;
  const spools = push.flatMap((agent) => agent.spools);
  const troubled = spools.filter((spool) => spool.trouble).length;
  const unknown = spools.filter((spool) => !spool.trouble && spool.secondsBehind === null).length;
  const lag = Math.max(0, ...spools.map((spool) => spool.secondsBehind ?? 0));
  const sentences: string[] = [];
  if (inNeed > 0) sentences.push(inNeed === 1 ? "One extractor needs you." : `${inNeed} extractors need you.`);
  if (untried > 0)
    sentences.push(untried === 1 ? "One extractor has not run yet." : `${untried} extractors have not run yet.`);
  if (silent > 0) sentences.push(silent === 1 ? "One agent is silent." : `${silent} agents are silent.`);
  if (troubled > 0) sentences.push(troubled === 1 ? "One spool cannot be read." : `${troubled} spools cannot be read.`);
  if (unknown > 0) sentences.push(`Of ${counted(unknown, "spool")} nobody knows how far behind.`);
  if (waiting > 0) sentences.push(`${counted(waiting, "batch")} wait to be linked.`);
  const rest = sentences.length > 0 ? "Everything else" : "Everything";
  sentences.push(lag > 0 ? `${rest} is at most ${duration(lag * 1000)} behind.` : `${rest} is up to date.`);
  return sentences.join(" ");
}

function PushTable({ formats }: { formats: readonly PushExtractor[] }) {
  return (
    <Scroller what="Formats">
      <table className="sheet">
        <thead>
          <tr>
            <th>Format</th>
            <th className="number">Spools</th>
            <th className="number">Records, last hour</th>
            <th className="number">Problems</th>
            <th>Last error</th>
          </tr>
        </thead>
        <tbody>
          {formats.map((format) => (
            <tr key={format.format}>
              <td>{sourceWord(format.format.toUpperCase())}</td>
              <td className="number">{grouped(format.spools)}</td>
              <td className="number">{grouped(format.recordsLastHour)}</td>
              <td className="number">{grouped(format.problemsLastHour)}</td>
              <td>
                {format.lastError ? (
                  <>
                    <When time={format.lastError.at} />: {format.lastError.inWords}
                  </>
                ) : (
                  <span className="quiet">none</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function Intake({ status: { intake, disk, version, started } }: { status: Status }) {
  return (
    <dl className="pairs">
      <dt>to link</dt>
      <dd>
        {counted(intake.waiting, "batch")}, {bytes(intake.waitingBytes)}
      </dd>
      <dt>to index</dt>
      <dd>{counted(intake.notSearchable, "change")}</dd>
      {intake.trouble && (
        <>
          <dt>trouble</dt>
          <dd className="bad">{intake.trouble}</dd>
        </>
      )}
      <dt>disk</dt>
      <dd>
        {disk.inWords} <span className="quiet code">{disk.path}</span>
      </dd>
      <dt>server</dt>
      <dd>
        version {version}, started <When time={started} />
      </dd>
    </dl>
  );
}
