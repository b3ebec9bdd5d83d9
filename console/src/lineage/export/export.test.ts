import { expect, test } from "vitest";
import { boxesOf } from "../boxes";
import { merged } from "../graph";
import { answer, edge, node } from "../made";
import { cell, csv } from "./csv";
import { svg } from "./svg";

const HOSTILE = '</text><script>alert("1")</script>';
const graph = merged(answer([node("a", { qualifiedName: `db.${HOSTILE}` }), node("b")], [edge("a", "b")]), []);
const boxes = boxesOf(graph, new Map());
const places = new Map([
  ["a", { x: 0, y: 0 }],
  ["b", { x: 300, y: 0 }],
]);

test("a name is text in the drawing, never markup", () => {
  const { text } = svg(graph, places, new Map(), boxes, new Map());
  expect(text).not.toContain("<script");
  expect(text).toContain("&#60;script&#62;");
});

test("each edge is a row", () => {
  expect(csv(graph).trim().split("\r\n")).toHaveLength(2);
});

test("a cell is quoted where it must be, and no formula", () => {
  expect(cell('a,"b"')).toBe('"a,""b"""');
  expect(cell("=1+1")).toBe("'=1+1");
});
