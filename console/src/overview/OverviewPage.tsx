import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Status } from "../api/answers";
import { latestOperations, status } from "../api/queries";
import { AgentsTable } from "../extractors/AgentsTable";
import { ExtractorsTable } from "../extractors/ExtractorsTable";
import { OperationsTable } from "../operations/OperationsTable";
import { Page, Section } from "../parts/Page";
import { Empty, Failed, Loading } from "../parts/States";
import { typeWord } from "../words/kinds";
import { counted, grouped } from "../words/numbers";
import "./overview.css";

const OPERATIONS = 12;

/** How everything stands: the first page. */
export function OverviewPage() {
  const { data, error, refetch } = useQuery(status());
  if (error && !data) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="how everything stands" />;
  return (
    <Page title="Overview" lead={leadOf(data.attention)}>
      {error && <Failed error={error} retry={refetch} />}
      {data.attention.length > 0 && (
        <ul className="attention" aria-label="What needs you">
          {data.attention.map((sentence) => (
            <li key={sentence} className="note">
              {sentence}
            </li>
          ))}
        </ul>
      )}
      <Known status={data} />
      <Section title="Extractors" aside={<Link href="/extractors">runs and agents in full</Link>}>
        <ExtractorsTable extractors={data.extractors} />
      </Section>
      <Section title="Agents">
        <AgentsTable agents={data.agents} />
      </Section>
      <Section title="Could not be read" aside={<Link href="/problems">what to do</Link>}>
        <Unread quarantine={data.quarantine} />
      </Section>
      <Section title="Last statements" aside={<Link href="/operations">all statements</Link>}>
        <LastOperations />
      </Section>
    </Page>
  );
}

function leadOf(attention: readonly string[]): string {
  if (attention.length === 0) return "All is well.";
  return attention.length === 1 ? "One thing needs you." : `${attention.length} things need you.`;
}

function Known({ status: { counts, unlinkedNames, disk, intake } }: { status: Status }) {
  const gone = Object.entries(counts.deleted).map(([type, count]) => counted(count, typeWord(type)));
  return (
    <Section title="Known">
      <ul className="tally">
        {Object.entries(counts.living).map(([type, count]) => (
          <li key={type}>
            <Link href={`/search?query=${encodeURIComponent(`type:${type.toLowerCase()} deleted:false`)}`}>
              <strong>{grouped(count)}</strong>{" "}
              {count === 1 ? typeWord(type) : counted(count, typeWord(type)).replace(/^\S+ /, "")}
            </Link>
          </li>
        ))}
        <li>
          <Link href="/operations">
            <strong>{grouped(counts.operations)}</strong> {counts.operations === 1 ? "statement" : "statements"}
          </Link>{" "}
          <small>with {counted(counts.executions, "run")}</small>
        </li>
        <li>
          <Link href="/problems">
            <strong>{grouped(unlinkedNames)}</strong> {unlinkedNames === 1 ? "name" : "names"}
          </Link>{" "}
          <small>from query text only</small>
        </li>
      </ul>
      <p className="quiet small">
        Deleted: {gone.join(", ") || "nothing"}. On the way: {counted(intake.waiting, "batch")} to link,{" "}
        {counted(intake.notSearchable, "change")} to index. Disk: {disk.inWords}.
      </p>
    </Section>
  );
}

function Unread({ quarantine }: { quarantine: Status["quarantine"] }) {
  const kinds = Object.entries(quarantine);
  if (kinds.length === 0) return <Empty>Everything that arrived could be read.</Empty>;
  return (
    <table className="sheet">
      <thead>
        <tr>
          <th>Reason</th>
          <th className="number">Stretches</th>
        </tr>
      </thead>
      <tbody>
        {kinds.map(([kind, count]) => (
          <tr key={kind}>
            <td>
              <Link href={`/problems?kind=${encodeURIComponent(kind)}`}>{kind}</Link>
            </td>
            <td className="number">{grouped(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LastOperations() {
  const { data, error, refetch } = useQuery(latestOperations(OPERATIONS));
  if (error) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="the last statements" />;
  return <OperationsTable operations={data.results} whenEmpty="No statement has arrived yet." />;
}
