import type { Execution } from "../api/answers";
import { Bars } from "../parts/Bars";
import { counted } from "../words/numbers";
import { duration } from "../words/when";
import { runsByDay, tookMs } from "./runs";

/** Runs by day, of the last month with any. Of a statement the newest hundred are at hand; `of` says whose they are. */
export function RunChart({ runs, of = "" }: { runs: readonly Execution[]; of?: string }) {
  const times = runs.map((run) => Date.parse(run.ended ?? run.received)).filter(Number.isFinite);
  const lengths = runs.map(tookMs).filter((length) => length !== null);
  const bars = runsByDay(times);
  if (bars.length === 0) return <p className="quiet">No run is known.</p>;
  const drawn = bars.reduce((sum, bar) => sum + bar.value, 0);
  const said = [`the newest ${counted(drawn, "run")}`, of, `in ${counted(bars.length, "day")}`]
    .filter(Boolean)
    .join(" ");
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)].map(duration);
  const took =
    lengths.length === 0 ? "" : shortest === longest ? `, ${longest} long` : `, from ${shortest} to ${longest} long`;
  return (
    <figure className="run-chart">
      <Bars bars={bars} label={said + took} height={44} />
      <figcaption className="quiet small">
        {said}
        {took}
      </figcaption>
    </figure>
  );
}
