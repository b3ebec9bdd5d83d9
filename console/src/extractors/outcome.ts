import type { Extractor, Run } from "../api/answers";
import type { Bar } from "../parts/Bars";
import { counted } from "../words/numbers";
import { at, duration } from "../words/when";

/** The class that colours an outcome; the word itself always stands there too. */
export function toneOf(outcome: string | undefined): "good" | "warn" | "bad" | "quiet" {
  if (outcome === "complete") return "good";
  if (outcome === "failed") return "bad";
  return outcome ? "warn" : "quiet";
}

export function stateWord(extractor: Extractor): string {
  if (extractor.running) return `running: ${extractor.running.phase}`;
  return extractor.lastRun?.outcome ?? "has not run yet";
}

export function took(run: Run): number {
  return Date.parse(run.finished) - Date.parse(run.started);
}

/** Runs as bars, the oldest first, as tall as they were long. */
export function barsOf(runs: readonly Run[]): Bar[] {
  return runs.toReversed().map((run, place, all) => ({
    key: `${run.started}-${place}`,
    value: took(run),
    title: `${at(run.finished)}, ${duration(took(run))}: ${run.inWords}`,
    tone:
      run.outcome === "failed"
        ? "bad"
        : run.outcome === "complete"
          ? place === all.length - 1
            ? "now"
            : undefined
          : "warn",
  }));
}

/** The same in a sentence. */
export function runsInWords(runs: readonly Run[]): string {
  const failed = runs.filter((run) => run.outcome === "failed").length;
  const last = runs[0];
  if (!last) return "no run yet";
  return `last ${counted(runs.length, "run")}, ${failed} failed; the last one: ${last.outcome}, took ${duration(took(last))}`;
}
