// Nodes of a layer in an order with few crossings: each goes to the middle of those it is tied to,
// from left to right and back, and the best order that came up is kept.
import type { Chains } from "./chains";

/** Sweeps, by how many items there are to order. */
function sweepsFor(items: number): number {
  if (items < 400) return 24;
  return items < 3_000 ? 10 : 4;
}

export function ordered(chains: Chains): number[][] {
  const layers: number[][] = Array.from({ length: chains.layers }, () => []);
  for (const item of beginning(chains)) layers[chains.layer[item] ?? 0]?.push(item);
  const place = new Float64Array(chains.items.length);
  for (const members of layers) settle(members, place);
  let best = layers.map((members) => [...members]);
  let fewest = crossings(chains, layers, place);
  const sweeps = sweepsFor(chains.items.length);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep += 1) {
    const isForward = sweep % 2 === 0;
    const ties = isForward ? chains.from : chains.to;
    for (const members of isForward ? layers : layers.toReversed()) {
      byMiddle(members, ties, place);
      settle(members, place);
    }
    const count = crossings(chains, layers, place);
    if (count < fewest) {
      fewest = count;
      best = layers.map((members) => [...members]);
    }
  }
  return best;
}

/** Along the lines from the first node on, so that what belongs together begins together. */
function beginning(chains: Chains): number[] {
  const isSeen = new Uint8Array(chains.items.length);
  const found: number[] = [];
  for (let start = 0; start < chains.items.length; start += 1) {
    const waiting = [start];
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      if (isSeen[item]) continue;
      isSeen[item] = 1;
      found.push(item);
      const near = [...(chains.from[item] ?? []), ...(chains.to[item] ?? [])];
      for (const other of near.toReversed()) if (!isSeen[other]) waiting.push(other);
    }
  }
  return found;
}

function settle(members: readonly number[], place: Float64Array): void {
  members.forEach((item, index) => {
    place[item] = index;
  });
}

function byMiddle(members: number[], ties: readonly number[][], place: Float64Array): void {
  const middle = new Map<number, number>();
  for (const item of members) {
    const near = ties[item] ?? [];
    let sum = 0;
    for (const other of near) sum += place[other] ?? 0;
    // What is tied to nothing stays where it is.
    middle.set(item, near.length > 0 ? sum / near.length : (place[item] ?? 0));
  }
  members.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
}

/** How many pairs of lines cross, counted with a tree of partial sums. */
function crossings(chains: Chains, layers: readonly number[][], place: Float64Array): number {
  let count = 0;
  for (let layer = 1; layer < layers.length; layer += 1) {
    const before = layers[layer - 1] ?? [];
    const size = (layers[layer] ?? []).length;
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const item of before) {
      const ends = (chains.to[item] ?? []).map((other) => place[other] ?? 0);
      for (const end of ends) {
        let upTo = 0;
        for (let at = end + 1; at > 0; at -= at & -at) upTo += tree[at] ?? 0;
        count += seen - upTo;
      }
      for (const end of ends) for (let at = end + 1; at <= size; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
      seen += ends.length;
    }
  }
  return count;
}
