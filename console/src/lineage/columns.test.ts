import { expect, test } from "vitest";
import { type Column, columnFlows, columnsOf, MOST_ROWS, pathOf, rowsShown } from "./columns";
import { merged } from "./graph";
import { answer, edge, node } from "./made";

const pair = (source: string, target: string) => ({ source, target, type: "DATA_FLOW" as const, expression: null });

const chain = merged(
  answer(
    [node("a"), node("op", { type: "OPERATION", qualifiedName: null }), node("b"), node("c")],
    [
      edge("a", "op"),
      edge("op", "b", { columns: [pair("db.a.x", "db.b.x"), pair("db.a.y", "db.b.y")] }),
      edge("b", "c", { columns: [pair("db.b.x", "db.c.x"), pair("db.b.y", "db.c.x")] }),
    ],
  ),
  [],
);

test("a column's whole path is found, through statements, in both directions", () => {
  const flows = columnFlows(chain);
  const lit = pathOf("db.b.x", flows);
  expect([...lit.columns].sort()).toEqual(["db.a.x", "db.b.x", "db.c.x"]);
  expect([...lit.nodes].sort()).toEqual(["a", "b", "c", "op"]);
  expect(lit.edges.size).toBe(3);
});

test("a path turns no corner: what only shares a target is not on it", () => {
  expect(pathOf("db.a.x", columnFlows(chain)).columns.has("db.b.y")).toBe(false);
});

test("a circle ends", () => {
  const circle = merged(
    answer(
      [node("a"), node("b")],
      [
        edge("a", "b", { columns: [pair("db.a.x", "db.b.x")] }),
        edge("b", "a", { columns: [pair("db.b.x", "db.a.x")] }),
      ],
    ),
    [],
  );
  expect(pathOf("db.a.x", columnFlows(circle)).columns.size).toBe(2);
});

test("columns that only statements know come after those that are listed", () => {
  const table = node("a");
  const listed = [node("a.y", { type: "FIELD", qualifiedName: "db.a.y", originalName: "y", dataType: "int" })];
  const columns = columnsOf(table, listed, columnFlows(chain));
  expect(columns.map(({ name, dataType, isUsed }) => [name, dataType, isUsed])).toEqual([
    ["y", "int", true],
    ["x", null, true],
  ]);
});

test("of many columns those that are used are shown", () => {
  const column = (place: number): Column => ({
    qualifiedName: `db.t.c${place}`,
    name: `c${place}`,
    dataType: null,
    isUsed: place === 1999,
  });
  const columns = Array.from({ length: 2000 }, (_, place) => column(place));
  const shown = rowsShown(columns, "");
  expect(shown.rows.length).toBe(MOST_ROWS);
  expect(shown.rows[0]?.name).toBe("c1999");
  expect(shown.hidden).toBe(2000 - MOST_ROWS);
  expect(rowsShown(columns, "c1234").rows.map(({ name }) => name)).toEqual(["c1234"]);
});
