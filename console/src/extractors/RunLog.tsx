import { useQuery } from "@tanstack/react-query";
import { runLog } from "../api/queries";
import { Scroller } from "../parts/Scroller";
import { Empty, Failed, Loading } from "../parts/States";
import { visible } from "../words/names";
import { counted } from "../words/numbers";
import { at, exactly } from "../words/when";
import "./run-log.css";

const LEVELS = {
  info: { word: "info", tone: "quiet" },
  warn: { word: "warning", tone: "warn" },
  error: { word: "error", tone: "bad" },
} as const;

/** The newest lines that a run logged, the newest first; without a run those of the newest. */
export function RunLog({ extractor, run }: { extractor: string; run: string | null }) {
  const { data, error, refetch } = useQuery(runLog(extractor, run));
  if (error && !data) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="the log" />;
  if (!data.kept) return <Empty>{whyNot(data.started)}</Empty>;
  return (
    <div className="stack">
      <p className="small" role="status">
        The run that began {exactly(data.started)} {data.running ? "still goes on" : "is over"}; the newest line stands
        first.
      </p>
      {data.lines.length === 0 ? (
        <Empty>It has logged nothing.</Empty>
      ) : (
        <Scroller what="Log">
          <ol className="run-log">
            {data.lines.toReversed().map((line, place, all) => (
              <li key={all.length - place}>
                <time dateTime={line.time}>{at(line.time)}</time>
                <strong className={LEVELS[line.level].tone}>{LEVELS[line.level].word}</strong>
                <code>{visible(line.text)}</code>
              </li>
            ))}
          </ol>
        </Scroller>
      )}
      {data.dropped > 0 && <p className="quiet small">{counted(data.dropped, "older line")} not kept.</p>}
    </div>
  );
}

function whyNot(started: string | null): string {
  if (!started) return "No run has logged anything yet.";
  return (
    `The log of the run that began ${exactly(started)} is not kept: those of the newest 100 runs are, ` +
    "unless the server went down in the middle of the run."
  );
}
