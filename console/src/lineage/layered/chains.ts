// A line over several layers gets a place in each of them.
import type { LaidNode } from "./layered";
import type { Layers } from "./layers";

export interface Item {
  width: number;
  height: number;
  middle: number;
  /** Whether it is a line on its way, not a node. */
  isLine: boolean;
}

export interface Chains {
  /** The nodes, then the lines' places. */
  items: Item[];
  layer: number[];
  layers: number;
  /** Neighbours in the layer before, and in the one behind. */
  from: number[][];
  to: number[][];
  /** For each edge the items that its line crosses; none for one that leads back. */
  ways: number[][];
}

/** With more places than this, long lines lead straight across: a graph so large is not read line by line. */
const MOST_PLACES = 20_000;
const LINE_HEIGHT = 6;

export function chained(nodes: readonly LaidNode[], layer: readonly number[], forward: Layers["forward"]): Chains {
  const items: Item[] = nodes.map(({ width, height, middle }) => ({ width, height, middle, isLine: false }));
  const chains: Chains = {
    items,
    layer: [...layer],
    layers: layer.reduce((most, value) => Math.max(most, value + 1), 0),
    from: items.map(() => []),
    to: items.map(() => []),
    ways: [],
  };
  const tie = (a: number, b: number) => {
    chains.to[a]?.push(b);
    chains.from[b]?.push(a);
  };
  const spans = forward.reduce((sum, edge) => sum + (edge ? (layer[edge[1]] ?? 0) - (layer[edge[0]] ?? 0) - 1 : 0), 0);
  for (const edge of forward) {
    const way: number[] = [];
    chains.ways.push(way);
    if (!edge) continue;
    const [source, target] = edge;
    const [first, last] = [layer[source] ?? 0, layer[target] ?? 0];
    if (spans > MOST_PLACES && last - first > 1) continue;
    let before = source;
    for (let between = first + 1; between < last; between += 1) {
      const item = items.length;
      items.push({ width: 0, height: LINE_HEIGHT, middle: LINE_HEIGHT / 2, isLine: true });
      chains.layer.push(between);
      chains.from.push([]);
      chains.to.push([]);
      tie(before, item);
      way.push(item);
      before = item;
    }
    tie(before, target);
  }
  return chains;
}
