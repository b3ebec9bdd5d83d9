import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { Extractor, UnlinkedName } from "../api/answers";
import { quarantine, status } from "../api/queries";
import { hrefOf, NameLink } from "../parts/Name";
import { Page, Section } from "../parts/Page";
import { Scroller } from "../parts/Scroller";
import { Awaited, Empty } from "../parts/States";
import { visible } from "../words/names";
import { counted, grouped } from "../words/numbers";
import { GroupsTable, StretchesTable } from "./Quarantine";

const STRETCHES = 100;

/** What is missing, why, and what to do about each. */
export function ProblemsPage() {
  const [search] = useSearchParams();
  const kind = search.get("kind");
  const whole = useQuery(status());
  const unread = useQuery(quarantine(STRETCHES));
  if (!whole.data || !unread.data) return <Awaited what="what is missing" questions={[whole, unread]} />;
  const { extractors, mostUsedUnlinkedNames, unlinkedNames } = whole.data;
  const stretches = unread.data.results.filter((stretch) => !kind || stretch.kind === kind);
  return (
    <Page
      title="Problems"
      lead={`${counted(unread.data.total, "stretch")} of input could not be read, ${counted(unlinkedNames, "name")} led nowhere.`}
    >
      <Section title="Could not be read">
        {unread.data.total === 0 ? (
          <Empty>Everything that arrived could be read.</Empty>
        ) : (
          <>
            <p className="small quiet">
              Nothing is lost: the bytes are kept. After a fix or with a newer version, read them again.
            </p>
            <GroupsTable groups={unread.data.groups} />
            <div className="section">
              <StretchesTable stretches={stretches} lookedAt={unread.data.results.length} total={unread.data.total} />
            </div>
          </>
        )}
      </Section>
      <Section title="Names known from query text only">
        <UnlinkedNames names={mostUsedUnlinkedNames} total={unlinkedNames} />
      </Section>
      <Section title="Patterns that match nothing">
        <IdlePatterns extractors={extractors} />
      </Section>
      <Section title="Tables and folders that could not be read">
        <Unreadable extractors={extractors} />
      </Section>
    </Page>
  );
}

function UnlinkedNames({ names, total }: { names: readonly UnlinkedName[]; total: number }) {
  if (names.length === 0) return <Empty>Every name in every statement leads to something.</Empty>;
  return (
    <>
      <p className="small quiet">
        Statements read or write them, and no source has shown them: tables that lived between two snapshots, tables of
        a metastore that no extractor reads, or paths that no file system extractor shows.
        {total > names.length && ` The ${names.length} most used of ${grouped(total)}:`}
      </p>
      <Scroller what="Names">
        <table className="sheet">
          <thead>
            <tr>
              <th>Name</th>
              <th>Cluster</th>
              <th className="number">Statements</th>
              <th>What to do</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name.id}>
                <td>
                  <NameLink
                    thing={{
                      id: name.id,
                      qualifiedName: name.name,
                      originalName: name.name,
                      type: null,
                      deleted: false,
                      unlinked: true,
                    }}
                    withState={false}
                  />
                </td>
                <td>{visible(name.cluster)}</td>
                <td className="number">{grouped(name.operations)}</td>
                <td>
                  <a href={hrefOf(name.id, "operations")}>see the statements that name it</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </>
  );
}

function IdlePatterns({ extractors }: { extractors: readonly Extractor[] }) {
  const idle = extractors.flatMap((extractor) =>
    (extractor.lastRun?.idlePatterns ?? []).map((pattern) => ({ extractor: extractor.name, pattern })),
  );
  if (idle.length === 0) return <Empty>Every pattern in the extractors' configuration matches something.</Empty>;
  return (
    <ul>
      {idle.map(({ extractor, pattern }) => (
        <li key={`${extractor} ${pattern}`}>
          <code>{visible(pattern)}</code> of extractor {extractor}: correct it or take it out of the configuration
        </li>
      ))}
    </ul>
  );
}

function Unreadable({ extractors }: { extractors: readonly Extractor[] }) {
  const found = extractors.flatMap((extractor) =>
    (extractor.lastRun?.problems ?? []).map((problem) => ({ extractor: extractor.name, ...problem })),
  );
  if (found.length === 0) return <Empty>The last run of each extractor could read everything.</Empty>;
  return (
    <table className="sheet">
      <thead>
        <tr>
          <th>What</th>
          <th>Why</th>
          <th>Extractor</th>
          <th>What to do</th>
        </tr>
      </thead>
      <tbody>
        {found.map((problem) => (
          <tr key={`${problem.extractor}${problem.object}${problem.reason}`}>
            <td className="code">{visible(problem.object ?? "everything")}</td>
            <td>{visible(problem.reason)}</td>
            <td>{problem.extractor}</td>
            <td className="quiet">nothing of it was deleted; it is tried again with the next run</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
