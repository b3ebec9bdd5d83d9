import { expect, test } from "vitest";
import { nameOf, partsOf, shortened, shortenedPath, splitColumn, visible } from "./names";
import { bytes, counted, plural } from "./numbers";
import { isNameOf, pieces, verb } from "./statement";
import { ago, dayOf, duration, endOfDay } from "./when";

test("what cannot be seen is made visible", () => {
  expect(visible("evil\u202Egpj")).toBe("evil\\u202egpj");
  expect(visible("a\u0000b\nc")).toBe("a\\u0000b\nc");
});

test("long names are cut in the middle, long paths keep their ends", () => {
  expect(shortened("x".repeat(4000), 21)).toHaveLength(21);
  expect(shortened("short", 21)).toBe("short");
  expect(shortenedPath("/warehouse/tablespace/managed/hive/mart.db/report", 30)).toBe("/warehouse/…/report");
});

test("names are split where their dots are", () => {
  expect(partsOf("db.`a.b`.c")).toEqual(["db", "`a.b`", "c"]);
  expect(splitColumn("db.`a.b`.c")).toEqual({ table: "db.`a.b`", column: "c" });
  const thing = { id: "1", qualifiedName: "db.t", originalName: "t", queryText: null };
  expect(nameOf(thing)).toEqual({ place: "db.", own: "t" });
  expect(nameOf({ ...thing, qualifiedName: "hdfs://nn/w/t" })).toEqual({ place: "hdfs://nn/w/", own: "t" });
});

test("a statement in pieces is the statement again", () => {
  const text = "insert into `db`.t select 'it''s', 1.5 -- why\nfrom x /* open";
  expect(
    pieces(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
  expect(
    pieces(text)
      .filter(({ kind }) => kind === "keyword")
      .map((piece) => piece.text),
  ).toEqual(["insert", "into", "select", "from"]);
});

test("a statement's verb is told", () => {
  expect(verb("CREATE TABLE a AS SELECT 1")).toBe("create table as");
  expect(verb("-- a comment\n insert overwrite table a select 1")).toBe("insert overwrite");
  expect(verb("with x as (select 1) insert into t select * from x")).toBe("insert");
  expect(verb(null, "CREATETABLE_AS_SELECT")).toBe("createtable as select");
});

test("a name in a statement is known with and without its database", () => {
  const piece = { kind: "name" as const, text: "`Sample_08`" };
  expect(isNameOf(piece, ["default.sample_08"])).toBe("default.sample_08");
  expect(isNameOf({ kind: "name", text: "other" }, ["default.sample_08"])).toBeNull();
});

test("numbers and times are said as people say them", () => {
  expect(counted(1, "table")).toBe("1 table");
  expect(counted(1200, "batch")).toBe("1,200 batches");
  expect([plural("query"), plural("key")]).toEqual(["queries", "keys"]);
  expect(bytes(1536)).toBe("1.5 KB");
  expect(duration(95_000)).toBe("2 min");
  const now = Date.parse("2026-12-01T10:00:00Z");
  expect(ago("2026-12-01T09:59:52Z", now)).toBe("8 s ago");
  expect(ago("2026-12-01T10:20:00Z", now)).toBe("in 20 min");
  expect(ago(null, now)).toBe("never");
});

test("a day lasts to its end, wherever it is", () => {
  expect(dayOf(endOfDay("2026-11-30"))).toBe("2026-11-30");
  expect(Date.parse(endOfDay("2026-11-30")) - new Date(2026, 10, 30).getTime()).toBe(86_399_999);
});
