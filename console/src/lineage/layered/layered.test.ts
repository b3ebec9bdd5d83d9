import { expect, test } from "vitest";
import { type LaidNode, layered } from "./layered";

const nodes = (count: number): LaidNode[] =>
  Array.from({ length: count }, (_, place) => ({
    id: String(place),
    width: 200,
    height: 36 + (place % 3) * 20,
    middle: 18,
  }));
const lay = (count: number, edges: [number, number][]) =>
  layered({ nodes: nodes(count), edges, betweenLayers: 76, betweenNodes: 18 });

/** Numbers that look random and are the same each time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("no node lies over another, and flows go to the right, in graphs of any shape without circles", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const roll = dice(seed);
    const count = 2 + Math.floor(roll() * 40);
    const edges = Array.from({ length: Math.floor(roll() * 3 * count) }, (): [number, number] => {
      const source = Math.floor(roll() * (count - 1));
      return [source, source + 1 + Math.floor(roll() * (count - source - 1))];
    });
    const { places } = lay(count, edges);
    const all = nodes(count).map((node, place) => ({
      ...node,
      ...(places[place] ?? { x: Number.NaN, y: Number.NaN }),
    }));
    for (const [source, target] of edges) {
      expect((all[target]?.x ?? 0) - (all[source]?.x ?? 0)).toBeGreaterThan(200);
    }
    for (const a of all) {
      for (const b of all) {
        if (a.id >= b.id) continue;
        const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
        expect(isApart, `${seed}: ${a.id} over ${b.id}`).toBe(true);
      }
    }
  }
});

test("a chain is a straight line, whatever the heights of its nodes", () => {
  const { places } = lay(4, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  for (const place of places) expect(place.y).toBeCloseTo(places[0]?.y ?? Number.NaN);
});

test("two lines that need not cross do not", () => {
  const { places } = lay(4, [
    [0, 3],
    [1, 2],
  ]);
  const y = (place: number) => places[place]?.y ?? Number.NaN;
  expect(Math.sign(y(0) - y(1))).toBe(Math.sign(y(3) - y(2)));
});

test("circles and nodes that flow into themselves end", () => {
  const { places, crossings } = lay(3, [
    [0, 1],
    [1, 2],
    [2, 0],
    [1, 1],
  ]);
  expect(new Set(places.map(({ x }) => x)).size).toBe(3);
  expect(crossings).toHaveLength(4);
});

test("a line over several layers crosses each of them where no node stands", () => {
  const { places, crossings } = lay(3, [
    [0, 1],
    [1, 2],
    [0, 2],
  ]);
  const [crossing] = crossings[2] ?? [];
  const between = places[1];
  if (!crossing || !between) throw new Error("it crosses the layer of node 1");
  expect(crossing.left).toBeLessThanOrEqual(between.x);
  expect(crossing.y < between.y || crossing.y > between.y + 56).toBe(true);
});

test("nothing is laid out, too", () => {
  expect(lay(0, [])).toEqual({ places: [], crossings: [] });
  expect(lay(1, []).places).toHaveLength(1);
});
