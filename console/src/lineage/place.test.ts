import { expect, test } from "vitest";
import { boxesOf } from "./boxes";
import { merged } from "./graph";
import { answer, edge, node } from "./made";
import { apart, placedBeside } from "./place";

const many = Array.from({ length: 30 }, (_, place) => node(`n${place}`));
const graph = merged(
  answer(
    [node("root"), ...many],
    many.map(({ id }) => edge(id, "root")),
  ),
  [],
);
const boxes = boxesOf(graph, new Map());
const height = (id: string) => boxes.get(id)?.outerHeight ?? 0;

test("what is there does not move, and what comes stands left of what it flows into, over nothing", () => {
  const old = new Map([
    ["root", { x: 400, y: 100 }],
    ["n0", { x: 92, y: 100 }],
  ]);
  const places = placedBeside(old, graph, boxes);
  expect(places.get("root")).toEqual({ x: 400, y: 100 });
  expect(places.get("n0")).toEqual({ x: 92, y: 100 });
  const column = many.map(({ id }) => ({ id, ...(places.get(id) ?? { x: 0, y: 0 }) })).sort((a, b) => a.y - b.y);
  column.forEach((here, place) => {
    expect(here.x).toBeLessThan(400);
    const above = column[place - 1];
    if (above) expect(here.y).toBeGreaterThanOrEqual(above.y + height(above.id));
  });
});

test("what is gone has no place any more", () => {
  expect(placedBeside(new Map([["gone", { x: 0, y: 0 }]]), graph, boxes).has("gone")).toBe(false);
});

test("a node that grew pushes those below it down, and nothing else", () => {
  const places = new Map([
    ["n0", { x: 0, y: 0 }],
    ["n1", { x: 0, y: 60 }],
    ["n2", { x: 0, y: 500 }],
    ["root", { x: 400, y: 60 }],
  ]);
  const box = boxes.get("n0");
  if (!box) throw new Error("n0 has a box");
  const grown = new Map(boxes).set("n0", { ...box, outerHeight: 200 });
  const moved = apart(places, grown);
  expect(moved.get("n0")).toEqual({ x: 0, y: 0 });
  expect(moved.get("n1")?.y).toBeGreaterThanOrEqual(200);
  expect(moved.get("n2")).toEqual({ x: 0, y: 500 });
  expect(moved.get("root")).toEqual({ x: 400, y: 60 });
  expect(apart(places, boxes)).toEqual(places);
});
