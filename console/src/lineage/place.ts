// Places for what comes later, so that what is there already does not move.
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import type { Graph } from "./graph";
import { BETWEEN_LAYERS, BETWEEN_NODES, directoriesBelow, type Places, type Point, TO_DIRECTORY } from "./layout";

type Boxes = ReadonlyMap<Id, Box>;

/** The old places and, beside the neighbours they came with, places for new nodes; what is gone is left out. */
export function placedBeside(old: Places, graph: Graph, boxes: Boxes): Map<Id, Point> {
  const places = new Map<Id, Point>();
  for (const [id, place] of old) if (graph.nodes.has(id)) places.set(id, place);
  let waiting = [...graph.nodes.keys()].filter((id) => !places.has(id));
  const below = new Map([...directoriesBelow(graph)].flatMap(([table, all]) => all.map((id) => [id, table] as const)));
  while (waiting.length > 0) {
    const left: Id[] = [];
    for (const id of waiting) {
      const wanted = wantedPlace(id, graph, boxes, places, below.get(id));
      if (wanted) places.set(id, freeNear(wanted, id, boxes, places));
      else left.push(id);
    }
    if (left.length === waiting.length) {
      for (const id of left) places.set(id, freeNear({ x: 0, y: 0 }, id, boxes, places));
      break;
    }
    waiting = left;
  }
  return places;
}

/** Beside a neighbour that has a place: left of what it flows into, right of what it comes from. */
function wantedPlace(id: Id, graph: Graph, boxes: Boxes, places: Places, table: Id | undefined): Point | null {
  const box = boxes.get(id);
  if (!box) return null;
  const above = table === undefined ? undefined : places.get(table);
  if (table !== undefined && above)
    return { x: above.x, y: above.y + (boxes.get(table)?.outerHeight ?? 0) + TO_DIRECTORY };
  for (const edge of graph.outOf.get(id) ?? []) {
    const right = places.get(edge.target);
    if (right) return { x: right.x - BETWEEN_LAYERS - box.width, y: right.y };
  }
  for (const edge of graph.into.get(id) ?? []) {
    const left = places.get(edge.source);
    if (left) return { x: left.x + (boxes.get(edge.source)?.width ?? 0) + BETWEEN_LAYERS, y: left.y };
  }
  return null;
}

/** The nearest place above or below where nothing stands. */
function freeNear(wanted: Point, id: Id, boxes: Boxes, places: Places): Point {
  const box = boxes.get(id);
  if (!box) return wanted;
  const taken: { top: number; bottom: number }[] = [];
  for (const [other, { x, y }] of places) {
    const size = boxes.get(other);
    if (!size || x >= wanted.x + box.width + BETWEEN_NODES || x + size.width + BETWEEN_NODES <= wanted.x) continue;
    taken.push({ top: y - BETWEEN_NODES, bottom: y + size.outerHeight + BETWEEN_NODES });
  }
  taken.sort((a, b) => a.top - b.top);
  const down = pushed(wanted.y, box.outerHeight, taken);
  const up =
    -pushed(
      -wanted.y - box.outerHeight,
      box.outerHeight,
      taken.map(({ top, bottom }) => ({ top: -bottom, bottom: -top })).reverse(),
    ) - box.outerHeight;
  return { x: wanted.x, y: Math.abs(up - wanted.y) < Math.abs(down - wanted.y) ? up : down };
}

/** The first free top at or after `from`; `taken` is in order of its tops. */
function pushed(from: number, height: number, taken: readonly { top: number; bottom: number }[]): number {
  let top = from;
  for (const stretch of taken) {
    if (stretch.bottom <= top) continue;
    if (stretch.top >= top + height) continue;
    top = stretch.bottom;
  }
  return top;
}

/** Nodes that grew push those below them down, and no more than they must; shrunk, they let them back. */
export function apart(places: Places, boxes: Boxes): Map<Id, Point> {
  const inOrder = [...places].sort(([, a], [, b]) => a.x - b.x);
  const result = new Map<Id, Point>();
  let layer: [Id, Point][] = [];
  let right = Number.NEGATIVE_INFINITY;
  const settle = () => {
    layer.sort(([, a], [, b]) => a.y - b.y);
    let bottom = Number.NEGATIVE_INFINITY;
    for (const [id, { x, y }] of layer) {
      const top = Math.max(y, bottom);
      result.set(id, { x, y: top });
      bottom = top + (boxes.get(id)?.outerHeight ?? 0) + BETWEEN_NODES;
    }
  };
  for (const entry of inOrder) {
    const [id, { x }] = entry;
    if (x >= right) {
      settle();
      layer = [];
      right = Number.NEGATIVE_INFINITY;
    }
    layer.push(entry);
    right = Math.max(right, x + (boxes.get(id)?.width ?? 0));
  }
  settle();
  return result;
}
