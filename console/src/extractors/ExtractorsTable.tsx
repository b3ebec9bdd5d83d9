import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Extractor } from "../api/answers";
import { runs } from "../api/queries";
import { Bars } from "../parts/Bars";
import { Empty } from "../parts/States";
import { When } from "../parts/When";
import { visible } from "../words/names";
import { duration } from "../words/when";
import { barsOf, runsInWords, stateWord, toneOf, took } from "./outcome";
import { RunNow } from "./RunNow";

/** Pull extractors with their last runs. */
export function ExtractorsTable({ extractors }: { extractors: readonly Extractor[] }) {
  if (extractors.length === 0) {
    return (
      <Empty>
        No extractor is configured: name one under <code>[[extractor]]</code> in the server's configuration.
      </Empty>
    );
  }
  return (
    <table className="sheet folds">
      <thead>
        <tr>
          <th>Extractor</th>
          <th>State</th>
          <th>Last runs</th>
          <th>Last pass</th>
          <th>Next</th>
          <th>
            <span className="unseen">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {extractors.map((extractor) => (
          <ExtractorRow key={extractor.name} extractor={extractor} />
        ))}
      </tbody>
    </table>
  );
}

function ExtractorRow({ extractor }: { extractor: Extractor }) {
  const { data } = useQuery(runs(extractor.name));
  const last = extractor.lastRun;
  const shown = data?.results.slice(0, 20) ?? [];
  return (
    <tr>
      <td>
        <Link href={`/extractors/${encodeURIComponent(extractor.name)}`}>
          <strong>{extractor.name}</strong>
        </Link>
        <small>
          {visible(extractor.uri)}, {extractor.clusters.join(", ")}
        </small>
      </td>
      <td data-label="State">
        <strong className={extractor.running ? "warn" : toneOf(last?.outcome)}>{stateWord(extractor)}</strong>
        {last?.message && <small className={toneOf(last.outcome)}>{visible(last.message)}</small>}
      </td>
      <td>{shown.length > 0 && <Bars bars={barsOf(shown)} label={runsInWords(shown)} />}</td>
      <td data-label="Last pass">
        {last ? (
          <>
            <When time={last.finished} />, took {duration(took(last))}
            <small>{visible(last.inWords)}</small>
          </>
        ) : (
          <span className="quiet">never</span>
        )}
        {extractor.state && <small>{extractor.state.inWords}</small>}
      </td>
      <td data-label="Next">
        {extractor.nextRun ? <When time={extractor.nextRun} /> : <span className="quiet">not scheduled</span>}
        {extractor.schedule && <small className="code">{extractor.schedule}</small>}
      </td>
      <td>
        <RunNow extractor={extractor.name} isRunning={extractor.running !== null} />
      </td>
    </tr>
  );
}
