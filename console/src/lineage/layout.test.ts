import { expect, test } from "vitest";
import { boxesOf } from "./boxes";
import { merged } from "./graph";
import { layered } from "./layered/layered";
import { arranged, toLayOut } from "./layout";
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
const given = toLayOut(graph, boxes);
const { places } = arranged(graph, boxes, given, layered(given), { x: 7, y: -3 });

test("each pair of nodes is laid out once, and directories as a part of their table", () => {
  expect(given.nodes.map(({ id }) => id)).toEqual(["b", "a", "c"]);
  expect(given.edges).toEqual([
    [1, 0],
    [0, 2],
    [0, 0],
  ]);
});

test("flows go from left to right, a directory hangs below its table, the root stays where it was", () => {
  const x = (id: string) => places.get(id)?.x ?? Number.NaN;
  expect(x("a")).toBeLessThan(x("b"));
  expect(x("b")).toBeLessThan(x("c"));
  expect(x("dir")).toBe(x("b"));
  expect(places.get("dir")?.y).toBeGreaterThan((places.get("b")?.y ?? 0) + (boxes.get("b")?.height ?? 0));
  expect(places.get("b")).toEqual({ x: 7, y: -3 });
});

test("arrow keys follow edges", () => {
  expect(next("b", "left", graph, places)).toBe("a");
  expect(next("b", "down", graph, places)).toBe("dir");
  expect(next("c", "right", graph, places)).toBeNull();
});
