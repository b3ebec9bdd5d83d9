import { expect, test } from "vitest";
import { keyOf, merged } from "./graph";
import { answer, edge, node } from "./made";
import { sayMore } from "./more";

const upstreamOf = (id: string) => ({ id, side: "upstream", depth: 1 }) as const;

test("answers are put together, each node and edge once", () => {
  const first = answer([node("a", { moreUpstream: 1 }), node("b")], [edge("a", "b")]);
  const later = answer([node("a"), node("z")], [edge("z", "a"), edge("a", "b")], { root: "a" });
  const graph = merged(first, [{ expansion: upstreamOf("a"), answer: later }]);
  expect([...graph.nodes.keys()]).toEqual(["a", "b", "z"]);
  expect(graph.edges.size).toBe(2);
  expect(graph.into.get("a")?.map(keyOf)).toEqual(["z>a:DATA_FLOW:observed"]);
});

test("how many are not shown is told by the answer that shows the most, and that counted them through", () => {
  const first = answer([node("a", { moreUpstream: 100, moreUpstreamIsLeast: true, moreDownstream: 3 })], []);
  const later = answer([node("a", { moreUpstream: 140, moreDownstream: 8 })], [], { root: "a" });
  const graph = merged(first, [{ expansion: upstreamOf("a"), answer: later }]);
  expect(graph.nodes.get("a")).toMatchObject({ moreUpstream: 140, moreUpstreamIsLeast: false, moreDownstream: 3 });
});

test("what is not shown is said with what is known of its number", () => {
  expect([0, 12].map((count) => sayMore({ count, isLeast: false }))).toEqual([null, "12 more"]);
  expect([0, 100].map((count) => sayMore({ count, isLeast: true }))).toEqual(["perhaps more", "at least 100 more"]);
});

test("edges of a former life and control flow stand beside the others", () => {
  const edges = [edge("a", "b"), edge("a", "b", { formerIncarnation: true }), edge("a", "b", { type: "CONTROL_FLOW" })];
  expect(merged(answer([node("a"), node("b")], edges), []).edges.size).toBe(3);
});

test("what one answer cut or noted holds for the whole", () => {
  const notes = (note: string) => ({ coverage: { operationsWithoutLineage: 1, notes: [note, "same"] } });
  const graph = merged(answer([node("a")], [], notes("one")), [
    { expansion: upstreamOf("a"), answer: answer([node("a")], [], { ...notes("two"), cut: true }) },
  ]);
  expect(graph.cut).toBe(true);
  expect(graph.notes).toEqual(["one", "same", "two"]);
});
