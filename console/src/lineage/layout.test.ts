import ELK from "elkjs/lib/elk.bundled.js";
import { expect, test } from "vitest";
import { boxesOf } from "./boxes";
import { merged } from "./graph";
import { anchored, type EngineGraph, fromEngine, toEngine } from "./layout";
import { answer, edge, node } from "./made";
import { next } from "./walk";

const graph = merged(
  answer(
    [node("b"), node("a"), node("c"), node("dir", { type: "DIRECTORY", qualifiedName: "/w/b" })],
    [
      edge("a", "b"),
      edge("a", "b", { type: "CONTROL_FLOW" }),
      edge("b", "c"),
      edge("b", "b"),
      edge("b", "dir", { type: "LOGICAL_PHYSICAL" }),
    ],
  ),
  [],
);
const boxes = boxesOf(graph, new Map());
const laidOut = async () =>
  fromEngine(graph, boxes, (await new ELK().layout(toEngine(graph, boxes) as never)) as unknown as EngineGraph);

test("the engine is given each pair of nodes once, and directories as a part of their table", () => {
  const given = toEngine(graph, boxes);
  expect(given.children.map(({ id }) => id)).toEqual(["b", "a", "c"]);
  expect(given.edges.map(({ id }) => id)).toEqual(["a>b", "b>c"]);
});

test("flows go from left to right, a directory hangs below its table", async () => {
  const places = await laidOut();
  const x = (id: string) => places.get(id)?.x ?? Number.NaN;
  expect(x("a")).toBeLessThan(x("b"));
  expect(x("b")).toBeLessThan(x("c"));
  expect(x("dir")).toBe(x("b"));
  expect(places.get("dir")?.y).toBeGreaterThan((places.get("b")?.y ?? 0) + (boxes.get("b")?.height ?? 0));
});

test("the root stays where it was", async () => {
  const places = anchored(await laidOut(), "b", { x: 7, y: -3 });
  expect(places.get("b")).toEqual({ x: 7, y: -3 });
});

test("arrow keys follow edges", async () => {
  const places = await laidOut();
  expect(next("b", "left", graph, places)).toBe("a");
  expect(next("b", "down", graph, places)).toBe("dir");
  expect(next("c", "right", graph, places)).toBeNull();
});
