import type { Execution } from "../api/answers";
import { Bars } from "../parts/Bars";
import { counted } from "../words/numbers";
import { duration } from "../words/when";
import { runsByDay, tookMs } from "./runs";

/** Runs by day. */
export function RunChart({ runs }: { runs: readonly Execution[] }) {
  const times = runs.map((run) => Date.parse(run.ended ?? run.received)).filter(Number.isFinite);
  const lengths = runs.map(tookMs).filter((length) => length !== null);
  const bars = runsByDay(times);
  if (bars.length === 0) return <p className="quiet">No run is known.</p>;
  const said = `${counted(runs.length, "run")} in ${counted(bars.length, "day")}`;
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
