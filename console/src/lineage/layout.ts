// Between the graph and the layout engine: what is laid out, and what becomes of its answer.
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import type { Graph } from "./graph";

export interface Point {
  x: number;
  y: number;
}
export type Places = ReadonlyMap<Id, Point>;

export const BETWEEN_LAYERS = 76;
export const BETWEEN_NODES = 18;
/** From a table to its directory below it. */
export const TO_DIRECTORY = 34;
/** Beyond so many nodes, speed goes before beauty. */
const LARGE = 400;
const VERY_LARGE = 1_500;

export interface EngineNode {
  id: string;
  width: number;
  height: number;
  x?: number;
  y?: number;
  layoutOptions?: Record<string, string>;
  ports?: { id: string; x: number; y: number; width: number; height: number; layoutOptions: Record<string, string> }[];
}
export interface EngineGraph {
  id: string;
  layoutOptions: Record<string, string>;
  children: EngineNode[];
  edges: { id: string; sources: string[]; targets: string[] }[];
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

/** What the engine is given: directories are a part of the table they hang below. */
export function toEngine(graph: Graph, boxes: ReadonlyMap<Id, Box>): EngineGraph {
  const below = directoriesBelow(graph);
  const hanging = new Set([...below.values()].flat());
  const children: EngineNode[] = [];
  for (const node of graph.nodes.values()) {
    const box = boxes.get(node.id);
    if (!box || hanging.has(node.id)) continue;
    let height = box.outerHeight;
    for (const directory of below.get(node.id) ?? []) height += TO_DIRECTORY + (boxes.get(directory)?.outerHeight ?? 0);
    children.push({
      id: node.id,
      width: box.width,
      height,
      layoutOptions: { "elk.portConstraints": "FIXED_POS" },
      ports: [port(node.id, "WEST", 0, box.middle), port(node.id, "EAST", box.width, box.middle)],
    });
  }
  const seen = new Set<string>();
  const edges: EngineGraph["edges"] = [];
  for (const edge of graph.edges.values()) {
    const key = `${edge.source}>${edge.target}`;
    if (seen.has(key) || hanging.has(edge.target) || edge.source === edge.target) continue;
    seen.add(key);
    edges.push({ id: key, sources: [`${edge.source}:EAST`], targets: [`${edge.target}:WEST`] });
  }
  return { id: "graph", layoutOptions: optionsFor(children.length), children, edges };
}

/** Where lines touch a node: the engine lays them straight from there. */
function port(id: Id, side: "WEST" | "EAST", x: number, y: number) {
  return { id: `${id}:${side}`, x, y, width: 0, height: 0, layoutOptions: { "elk.port.side": side } };
}

function optionsFor(nodes: number): Record<string, string> {
  const options: Record<string, string> = {
    "elk.algorithm": "layered",
    "elk.direction": "RIGHT",
    "elk.spacing.nodeNode": String(BETWEEN_NODES),
    "elk.layered.spacing.nodeNodeBetweenLayers": String(BETWEEN_LAYERS),
    "elk.layered.spacing.edgeNodeBetweenLayers": "12",
    "elk.spacing.edgeNode": "10",
    "elk.spacing.edgeEdge": "6",
    "elk.spacing.componentComponent": "40",
    "elk.edgeRouting": "POLYLINE",
    "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
    "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
    "elk.contentAlignment": "V_CENTER",
  };
  if (nodes > LARGE) {
    options["elk.layered.nodePlacement.strategy"] = "BRANDES_KOEPF";
    options["elk.layered.thoroughness"] = "3";
  }
  if (nodes > VERY_LARGE) {
    options["elk.layered.thoroughness"] = "1";
    options["elk.layered.layering.strategy"] = "LONGEST_PATH";
    options["elk.layered.nodePlacement.strategy"] = "SIMPLE";
    options["elk.layered.crossingMinimization.greedySwitch.type"] = "OFF";
    options["elk.separateConnectedComponents"] = "false";
  }
  return options;
}

/** Where everything is, with the directories back in their places. */
export function fromEngine(graph: Graph, boxes: ReadonlyMap<Id, Box>, laidOut: EngineGraph): Map<Id, Point> {
  const places = new Map<Id, Point>();
  for (const { id, x = 0, y = 0 } of laidOut.children) places.set(id, { x, y });
  for (const [table, directories] of directoriesBelow(graph)) {
    const at = places.get(table);
    if (!at) continue;
    let y = at.y + (boxes.get(table)?.outerHeight ?? 0);
    for (const directory of directories) {
      places.set(directory, { x: at.x, y: y + TO_DIRECTORY });
      y += TO_DIRECTORY + (boxes.get(directory)?.outerHeight ?? 0);
    }
  }
  return places;
}

/** Moves everything so that one node stands where it stood. */
export function anchored(places: Places, id: Id, at: Point | undefined): Map<Id, Point> {
  const now = places.get(id);
  if (!now) return new Map(places);
  const [dx, dy] = [(at?.x ?? 0) - now.x, (at?.y ?? 0) - now.y];
  return new Map([...places].map(([node, { x, y }]) => [node, { x: x + dx, y: y + dy }]));
}
