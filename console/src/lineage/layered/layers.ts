// Circles are cut open, and every node gets its layer.

export interface Layers {
  /** The layer of each node, from 0. */
  layer: number[];
  /** Every edge, turned where it would lead back; `null` for one from a node to itself. */
  forward: ([number, number] | null)[];
}

export function layersOf(count: number, edges: readonly (readonly [number, number])[]): Layers {
  const to: number[][] = Array.from({ length: count }, () => []);
  const degree = new Array<number>(count).fill(0);
  for (const [source, target] of edges) {
    if (source === target) continue;
    to[source]?.push(target);
    degree[target] = (degree[target] ?? 0) + 1;
  }
  const rank = visited(count, to, degree);
  const forward = edges.map(([source, target]): [number, number] | null => {
    if (source === target) return null;
    return (rank[source] ?? 0) < (rank[target] ?? 0) ? [source, target] : [target, source];
  });
  return { layer: assigned(count, rank, forward), forward };
}

/** An order in which edges lead onward, but for those that close a circle. */
function visited(count: number, to: readonly number[][], degree: readonly number[]): number[] {
  const rank = new Array<number>(count).fill(-1);
  const isSeen = new Uint8Array(count);
  const starts = Array.from({ length: count }, (_, node) => node).sort((a, b) => (degree[a] ?? 0) - (degree[b] ?? 0));
  let next = count;
  for (const start of starts) {
    if (isSeen[start]) continue;
    isSeen[start] = 1;
    const path: { node: number; child: number }[] = [{ node: start, child: 0 }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const child = to[top.node]?.[top.child];
      top.child += 1;
      if (child === undefined) {
        next -= 1;
        rank[top.node] = next;
        path.pop();
      } else if (!isSeen[child]) {
        isSeen[child] = 1;
        path.push({ node: child, child: 0 });
      }
    }
  }
  return rank;
}

/** As far left as the edges allow, then drawn to where they are shorter. */
function assigned(count: number, rank: readonly number[], forward: Layers["forward"]): number[] {
  const from: number[][] = Array.from({ length: count }, () => []);
  const to: number[][] = Array.from({ length: count }, () => []);
  for (const edge of forward) {
    if (!edge) continue;
    to[edge[0]]?.push(edge[1]);
    from[edge[1]]?.push(edge[0]);
  }
  const inOrder = Array.from({ length: count }, (_, node) => node).sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
  const layer = new Array<number>(count).fill(0);
  const of = (node: number) => layer[node] ?? 0;
  for (const node of inOrder) layer[node] = Math.max(0, ...(from[node] ?? []).map((before) => of(before) + 1));
  for (const node of inOrder.toReversed()) {
    const [ins, outs] = [from[node] ?? [], to[node] ?? []];
    if (outs.length > ins.length) layer[node] = outs.reduce((least, after) => Math.min(least, of(after)), Infinity) - 1;
  }
  const least = layer.reduce((a, b) => Math.min(a, b), Infinity);
  return layer.map((value) => value - least);
}
