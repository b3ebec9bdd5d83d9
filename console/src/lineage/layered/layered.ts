// A layered layout: what flows goes from left to right, crossings are few, lines are straight where
// they can be. In steps that each stand in a file of their own:
//
// 1. `layers`: circles are cut open, and every node gets its layer;
// 2. `chains`: a line over several layers gets a place in each, so that it leads around nodes;
// 3. `order`: nodes of a layer are put in an order with few crossings;
// 4. `heights`: each gets its height, near those it is tied to, in that order.
//
// The time grows hardly faster than the graph: a hundred nodes take a few milliseconds, and so the
// picture is there with the answer.
import { chained } from "./chains";
import { heights } from "./heights";
import { layersOf } from "./layers";
import { ordered } from "./order";

export interface LaidNode {
  id: string;
  width: number;
  height: number;
  /** Where lines touch it, from its top. */
  middle: number;
}

export interface ToLayOut {
  nodes: readonly LaidNode[];
  /** From and to, as places in `nodes`. */
  edges: readonly (readonly [number, number])[];
  betweenLayers: number;
  betweenNodes: number;
}

/** A line crosses the column of a layer from `left` to `right` at this height. */
export interface Crossing {
  left: number;
  right: number;
  y: number;
}

export interface LaidOut {
  /** The left upper corner of each node, in the order in which they came. */
  places: { x: number; y: number }[];
  /** For each edge the columns that it crosses on its way. */
  crossings: Crossing[][];
}

/** A dense bundle of lines needs more room to be told apart. */
const ROOM_OF_A_LINE = 0.9;
const MOST_ROOM = 120;

export function layered({ nodes, edges, betweenLayers, betweenNodes }: ToLayOut): LaidOut {
  const { layer, forward } = layersOf(nodes.length, edges);
  const chains = chained(nodes, layer, forward);
  const order = ordered(chains);
  const tops = heights(chains, order, betweenNodes);

  const widths = order.map((members) => Math.max(0, ...members.map((item) => chains.items[item]?.width ?? 0)));
  const lefts: number[] = [];
  let x = 0;
  for (const [place, width] of widths.entries()) {
    lefts.push(x);
    const lines = (order[place] ?? []).reduce((sum, item) => sum + (chains.to[item]?.length ?? 0), 0);
    x += width + betweenLayers + Math.min(MOST_ROOM, Math.max(0, lines - 8) * ROOM_OF_A_LINE);
  }
  const places = nodes.map((node, place) => {
    const at = layer[place] ?? 0;
    return { x: (lefts[at] ?? 0) + ((widths[at] ?? 0) - node.width) / 2, y: tops[place] ?? 0 };
  });
  const crossings = chains.ways.map((way) =>
    way.map((item) => {
      const at = chains.layer[item] ?? 0;
      const left = lefts[at] ?? 0;
      return { left, right: left + (widths[at] ?? 0), y: tops[item] ?? 0 };
    }),
  );
  return { places, crossings };
}
