// Between the graph and its layout: what is laid out, and what becomes of the answer.
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import type { Graph } from "./graph";
import type { Crossing, LaidOut, ToLayOut } from "./layered/layered";

export interface Point {
  x: number;
  y: number;
}
export type Places = ReadonlyMap<Id, Point>;
/** The columns that a long line crosses, by its ends: `source>target`. */
export type Ways = ReadonlyMap<string, readonly Crossing[]>;

export interface Arrangement {
  places: Map<Id, Point>;
  ways: Map<string, Crossing[]>;
}

export const BETWEEN_LAYERS = 76;
export const BETWEEN_NODES = 18;
/** From a table to its directory below it. */
export const TO_DIRECTORY = 34;

export function wayOf(source: Id, target: Id): string {
  return `${source}>${target}`;
}

/** Paths that only hang below a table, by the table. */
export function directoriesBelow(graph: Graph): Map<Id, Id[]> {
  const below = new Map<Id, Id[]>();
  for (const node of graph.nodes.values()) {
    if (node.id === graph.root) continue;
    const into = graph.into.get(node.id) ?? [];
    const hangs = into.length > 0 && into.every((edge) => edge.type === "LOGICAL_PHYSICAL");
    const table = into[0]?.source;
    if (!hangs || table === undefined || (graph.outOf.get(node.id) ?? []).length > 0) continue;
    below.set(table, [...(below.get(table) ?? []), node.id]);
  }
  return below;
}

/** What is laid out: each pair of nodes once; directories are a part of the table they hang below. */
export function toLayOut(graph: Graph, boxes: ReadonlyMap<Id, Box>): ToLayOut {
  const below = directoriesBelow(graph);
  const hanging = new Set([...below.values()].flat());
  const nodes: ToLayOut["nodes"][number][] = [];
  const number = new Map<Id, number>();
  for (const node of graph.nodes.values()) {
    const box = boxes.get(node.id);
    if (!box || hanging.has(node.id)) continue;
    let height = box.outerHeight;
    for (const directory of below.get(node.id) ?? []) height += TO_DIRECTORY + (boxes.get(directory)?.outerHeight ?? 0);
    number.set(node.id, nodes.length);
    nodes.push({ id: node.id, width: box.width, height, middle: box.middle });
  }
  const pairs = new Map<string, [number, number]>();
  for (const edge of graph.edges.values()) {
    const [source, target] = [number.get(edge.source), number.get(edge.target)];
    if (source !== undefined && target !== undefined) pairs.set(wayOf(edge.source, edge.target), [source, target]);
  }
  return { nodes, edges: [...pairs.values()], betweenLayers: BETWEEN_LAYERS, betweenNodes: BETWEEN_NODES };
}

/** Where everything is, with the directories back in their places, and the root where it was. */
export function arranged(
  graph: Graph,
  boxes: ReadonlyMap<Id, Box>,
  { nodes, edges }: ToLayOut,
  laidOut: LaidOut,
  rootAt: Point = { x: 0, y: 0 },
): Arrangement {
  const rootNow = laidOut.places[nodes.findIndex((node) => node.id === graph.root)] ?? { x: 0, y: 0 };
  const [dx, dy] = [rootAt.x - rootNow.x, rootAt.y - rootNow.y];
  const places = new Map<Id, Point>();
  nodes.forEach(({ id }, number) => {
    const { x, y } = laidOut.places[number] ?? { x: 0, y: 0 };
    places.set(id, { x: x + dx, y: y + dy });
  });
  for (const [table, directories] of directoriesBelow(graph)) {
    const at = places.get(table);
    if (!at) continue;
    let y = at.y + (boxes.get(table)?.outerHeight ?? 0);
    for (const directory of directories) {
      places.set(directory, { x: at.x, y: y + TO_DIRECTORY });
      y += TO_DIRECTORY + (boxes.get(directory)?.outerHeight ?? 0);
    }
  }
  const ways = new Map<string, Crossing[]>();
  edges.forEach(([source, target], number) => {
    const crossings = laidOut.crossings[number] ?? [];
    const [from, to] = [nodes[source]?.id, nodes[target]?.id];
    if (crossings.length === 0 || from === undefined || to === undefined) return;
    const moved = crossings.map(({ left, right, y }) => ({ left: left + dx, right: right + dx, y: y + dy }));
    ways.set(wayOf(from, to), moved);
  });
  return { places, ways };
}
