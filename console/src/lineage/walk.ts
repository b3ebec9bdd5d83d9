// Going from node to node with the arrow keys.
import type { Id } from "../api/answers";
import type { Graph } from "./graph";
import type { Places } from "./layout";

export type Step = "left" | "right" | "up" | "down";

/** The node that an arrow key leads to: along an edge, or to the next one above or below. */
export function next(from: Id, step: Step, graph: Graph, places: Places): Id | null {
  const here = places.get(from);
  if (!here) return null;
  if (step === "left" || step === "right") {
    const ends =
      step === "left"
        ? (graph.into.get(from) ?? []).map((edge) => edge.source)
        : (graph.outOf.get(from) ?? []).map((edge) => edge.target);
    const others = ends.filter((id) => id !== from);
    return nearest(others, (id) => Math.abs((places.get(id)?.y ?? 0) - here.y));
  }
  const sign = step === "up" ? -1 : 1;
  const there = [...places].filter(([id, { y }]) => id !== from && sign * (y - here.y) > 0).map(([id]) => id);
  return nearest(there, (id) => {
    const place = places.get(id) ?? here;
    // The same layer goes before what is nearer in another.
    return Math.abs(place.y - here.y) + 4 * Math.abs(place.x - here.x);
  });
}

function nearest(ids: readonly Id[], distance: (id: Id) => number): Id | null {
  let best: Id | null = null;
  let shortest = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const far = distance(id);
    if (far < shortest) [best, shortest] = [id, far];
  }
  return best;
}
