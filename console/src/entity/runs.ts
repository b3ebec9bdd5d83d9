// Runs of a statement, counted.
import type { Execution } from "../api/answers";
import type { Bar } from "../parts/Bars";
import { counted } from "../words/numbers";
import { onDate } from "../words/when";

const DAY_MS = 86_400_000;
const MOST_BARS = 30;

/** Who ran it how often, the busiest first. */
export function usersOf(runs: readonly Execution[]): { user: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const user = run.principal ?? "unknown";
    counts.set(user, (counts.get(user) ?? 0) + 1);
  }
  return [...counts].map(([user, count]) => ({ user, count })).sort((a, b) => b.count - a.count);
}

/** Runs a day, of the last days up to the newest run. */
export function runsByDay(times: readonly number[]): Bar[] {
  if (times.length === 0) return [];
  const days = times.map((time) => Math.floor(time / DAY_MS));
  const newest = Math.max(...days);
  const oldest = Math.max(Math.min(...days), newest - MOST_BARS + 1);
  const bars: Bar[] = [];
  for (let day = Math.min(oldest, newest - 13); day <= newest; day += 1) {
    const count = days.filter((other) => other === day).length;
    const date = onDate(new Date(day * DAY_MS).toISOString());
    bars.push({
      key: String(day),
      value: count,
      title: `${date}: ${counted(count, "run")}`,
      tone: day === newest ? "now" : undefined,
    });
  }
  return bars;
}

export function tookMs(run: Execution): number | null {
  if (!run.started || !run.ended) return null;
  return Math.max(0, Date.parse(run.ended) - Date.parse(run.started));
}
