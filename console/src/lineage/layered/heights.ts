// Heights: each item as near as can be to those it is tied to, in the order of its layer and with
// room between. For one layer that is a weighted isotonic regression, which has an exact answer in
// one pass; the layers are gone through until they agree.
import type { Chains } from "./chains";

/** Long lines are straightened before anything else. */
const LINE_TO_LINE = 8;
const LINE_TO_NODE = 2;
const NODE_TO_NODE = 1;
/** Of two nodes that are tied to nothing else on these sides. */
const NODE_TO_ITS_ONLY = 6;
const AROUND_LINES = 0.5;

function roundsFor(items: number): number {
  if (items < 400) return 40;
  return items < 3_000 ? 16 : 8;
}

/** The top of each item. */
export function heights(chains: Chains, order: readonly (readonly number[])[], between: number): number[] {
  const tops = new Array<number>(chains.items.length).fill(0);
  for (const members of order) stack(members, chains, between, tops);
  const rounds = roundsFor(chains.items.length);
  for (let round = 0; round < rounds; round += 1) {
    // First one side after the other, which orders from afar; then both count, so that a node stands
    // between what it comes from and goes to.
    const doBothCount = round >= rounds / 2;
    const sides = doBothCount ? [chains.from, chains.to] : round % 2 === 0 ? [chains.from] : [chains.to];
    const layers = round % 2 === 0 ? order : order.toReversed();
    const wish = (item: number) => wanted(item, chains, tops, sides);
    for (const members of layers) settle(members, chains, between, tops, wish);
  }
  straighten(chains, order, between, tops);
  return tops;
}

/** At last, whatever hangs on one thread is drawn to the thread's middle height, as far as there is room. */
function straighten(chains: Chains, order: readonly (readonly number[])[], between: number, tops: number[]): void {
  const middles = new Map<number, number>();
  for (const members of order) {
    for (const item of members) {
      if (middles.has(item)) continue;
      const thread = threadFrom(item, chains);
      const sum = thread.reduce((all, other) => all + (tops[other] ?? 0) + (chains.items[other]?.middle ?? 0), 0);
      for (const other of thread) middles.set(other, sum / thread.length);
    }
  }
  for (const members of order) {
    settle(members, chains, between, tops, (item) => ({
      want: (middles.get(item) ?? 0) - (chains.items[item]?.middle ?? 0),
      weight: 1,
    }));
  }
}

/** An item and what follows it, each tied to nothing else on that side. */
function threadFrom(item: number, chains: Chains): number[] {
  const thread = [item];
  for (let last = item; ; ) {
    const [next, ...others] = chains.to[last] ?? [];
    if (next === undefined || others.length > 0 || chains.from[next]?.length !== 1) return thread;
    thread.push(next);
    last = next;
  }
}

function gap(chains: Chains, above: number, below: number, between: number): number {
  const isLine = chains.items[above]?.isLine || chains.items[below]?.isLine;
  return isLine ? between * AROUND_LINES : between;
}

/** One below the other, around the middle. */
function stack(members: readonly number[], chains: Chains, between: number, tops: number[]): void {
  let top = 0;
  members.forEach((item, place) => {
    const above = members[place - 1];
    if (above !== undefined) top += gap(chains, above, item, between);
    tops[item] = top;
    top += chains.items[item]?.height ?? 0;
  });
  for (const item of members) tops[item] = (tops[item] ?? 0) - top / 2;
}

interface Block {
  sum: number;
  weight: number;
  count: number;
}

function settle(
  members: readonly number[],
  chains: Chains,
  between: number,
  tops: number[],
  wish: (item: number) => { want: number; weight: number },
): void {
  const offsets: number[] = [];
  const blocks: Block[] = [];
  let offset = 0;
  members.forEach((item, place) => {
    const above = members[place - 1];
    if (above !== undefined) offset += (chains.items[above]?.height ?? 0) + gap(chains, above, item, between);
    offsets.push(offset);
    const { want, weight } = wish(item);
    blocks.push({ sum: (want - offset) * weight, weight, count: 1 });
    // Two blocks that would stand one over the other become one, at their common middle.
    for (
      let last = blocks.at(-1), before = blocks.at(-2);
      last && before;
      last = blocks.at(-1), before = blocks.at(-2)
    ) {
      if (before.sum / before.weight <= last.sum / last.weight) break;
      blocks.pop();
      before.sum += last.sum;
      before.weight += last.weight;
      before.count += last.count;
    }
  });
  let place = 0;
  for (const { sum, weight, count } of blocks) {
    for (const end = place + count; place < end; place += 1) {
      const item = members[place];
      if (item !== undefined) tops[item] = sum / weight + (offsets[place] ?? 0);
    }
  }
}

function betweenNodes(a: number, b: number, chains: Chains): number {
  const [left, right] = (chains.layer[a] ?? 0) < (chains.layer[b] ?? 0) ? [a, b] : [b, a];
  const areAlone = chains.to[left]?.length === 1 && chains.from[right]?.length === 1;
  return areAlone ? NODE_TO_ITS_ONLY : NODE_TO_NODE;
}

/** Where an item would stand best, and how much that counts. */
function wanted(item: number, chains: Chains, tops: readonly number[], sides: readonly (readonly number[])[][]) {
  const own = chains.items[item];
  let [sum, weight] = [0, 0];
  for (const ties of sides) {
    for (const other of ties[item] ?? []) {
      const there = chains.items[other];
      const lines = Number(own?.isLine ?? false) + Number(there?.isLine ?? false);
      const counts = lines === 2 ? LINE_TO_LINE : lines === 1 ? LINE_TO_NODE : betweenNodes(item, other, chains);
      sum += counts * ((tops[other] ?? 0) + (there?.middle ?? 0));
      weight += counts;
    }
  }
  if (weight === 0) return { want: tops[item] ?? 0, weight: 0.05 };
  return { want: sum / weight - (own?.middle ?? 0), weight };
}
