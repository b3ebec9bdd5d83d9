// The lines of the picture: which there are, and where each goes.
import type { Id, LineageEdge } from "../api/answers";
import type { Box } from "./boxes";
import type { ColumnFlow, Lit } from "./columns";
import { type Graph, keyOf } from "./graph";
import { type Places, type Point, type Ways, wayOf } from "./layout";

export interface Line {
  key: string;
  source: Id;
  target: Id;
  path: string;
  kind: "data" | "control" | "physical" | "thread";
  isFormer: boolean;
  isLit: boolean;
  edge: LineageEdge | null;
}

const MOST_THREADS = 400;

/** One line for each edge of the graph, and threads between columns. */
export function linesOf(
  graph: Graph,
  places: Places,
  ways: Ways,
  boxes: ReadonlyMap<Id, Box>,
  flows: readonly ColumnFlow[],
  lit: Lit,
): Line[] {
  const lines: Line[] = [];
  for (const edge of graph.edges.values()) {
    const path = pathOf(edge, places, ways, boxes);
    if (path === null) continue;
    const kind = edge.type === "CONTROL_FLOW" ? "control" : edge.type === "LOGICAL_PHYSICAL" ? "physical" : "data";
    const key = keyOf(edge);
    const { source, target } = edge;
    lines.push({ key, source, target, path, kind, isFormer: edge.formerIncarnation, isLit: false, edge });
  }
  lines.push(...threads(places, boxes, flows, lit));
  return lines;
}

function pathOf(edge: LineageEdge, places: Places, ways: Ways, boxes: ReadonlyMap<Id, Box>): string | null {
  const [from, to] = [places.get(edge.source), places.get(edge.target)];
  const [fromBox, toBox] = [boxes.get(edge.source), boxes.get(edge.target)];
  if (!from || !to || !fromBox || !toBox) return null;
  if (edge.type === "LOGICAL_PHYSICAL" && Math.abs(from.x - to.x) < fromBox.width / 2 && to.y > from.y) {
    const x = from.x + 26;
    return `M${x} ${from.y + fromBox.outerHeight} L${x} ${to.y}`;
  }
  const shift = edge.type === "CONTROL_FLOW" ? 5 : 0;
  const start = { x: from.x + fromBox.width, y: from.y + fromBox.middle + shift };
  const stop = { x: to.x, y: to.y + toBox.middle + shift };
  let path = "";
  let at = start;
  for (const { left, right, y } of ways.get(wayOf(edge.source, edge.target)) ?? []) {
    path += `${curve(at, { x: left, y: y + shift })} L${right} ${y + shift} `;
    at = { x: right, y: y + shift };
  }
  return path + curve(at, stop);
}

/** Columns into columns: those of the lit path, and faintly those between two open nodes. */
function threads(places: Places, boxes: ReadonlyMap<Id, Box>, flows: readonly ColumnFlow[], lit: Lit): Line[] {
  const lines = new Map<string, Line>();
  const isOpen = (id: Id) => (boxes.get(id)?.rows.size ?? 0) > 0 || boxes.get(id)?.rest !== null;
  const wanted = new Set(lit.flows);
  const faint = flows.filter((flow) => !wanted.has(flow) && isOpen(flow.sourceNode) && isOpen(flow.targetNode));
  for (const flow of [...(faint.length <= MOST_THREADS ? faint : []), ...lit.flows]) {
    const stops: { id: Id; column: string | null }[] = [{ id: flow.sourceNode, column: flow.source }];
    if (flow.through) stops.push({ id: flow.through, column: null });
    stops.push({ id: flow.targetNode, column: flow.target });
    for (let place = 0; place + 1 < stops.length; place += 1) {
      const [from, to] = [stops[place], stops[place + 1]];
      if (!from || !to) continue;
      const start = end(from.id, from.column, places, boxes, "right");
      const stop = end(to.id, to.column, places, boxes, "left");
      if (!start || !stop) continue;
      const key = `thread:${from.id}:${from.column}>${to.id}:${to.column}`;
      const isLit = wanted.has(flow);
      if (lines.get(key)?.isLit) continue;
      lines.set(key, {
        key,
        source: from.id,
        target: to.id,
        path: curve(start, stop),
        kind: "thread",
        isFormer: false,
        isLit,
        edge: null,
      });
    }
  }
  return [...lines.values()];
}

function end(
  id: Id,
  column: string | null,
  places: Places,
  boxes: ReadonlyMap<Id, Box>,
  side: "left" | "right",
): Point | null {
  const [place, box] = [places.get(id), boxes.get(id)];
  if (!place || !box) return null;
  const row = column === null ? undefined : box.rows.get(column);
  const y = row ?? (column === null ? null : box.rest) ?? box.middle;
  return { x: side === "right" ? place.x + box.width : place.x, y: place.y + y };
}

/** A curve that leaves to the right and arrives from the left; one that leads back swings out. */
export function curve(from: Point, to: Point): string {
  const across = to.x - from.x;
  const bend = across > 0 ? Math.max(28, across * 0.48) : Math.min(220, 60 - across * 0.25);
  const { x: sx, y: sy } = from;
  const { x: tx, y: ty } = to;
  return `M${sx} ${sy} C${sx + bend} ${sy} ${tx - bend} ${ty} ${tx} ${ty}`;
}
