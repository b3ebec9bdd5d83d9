import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fieldCompletions, quoted, unfinished, valueCompletions } from "./completion";
import { FIELDS } from "./fields";
import { excerpt, marked, needles } from "./highlight";
import { fromAddress, fullQuery, placeInText, toAddress, turned } from "./wanted";

test("the fields are those that the documentation lists", () => {
  const page = readFileSync(new URL("../../../docs/search.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("## Fields"), page.indexOf("## Pages, order, facets"));
  const listed = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(FIELDS.map((field) => field.name).sort()).toEqual(listed.sort());
});

test("the word at the end is completed", () => {
  expect(unfinished("type:table ow")).toEqual({ before: "type:table ", field: null, word: "ow" });
  expect(unfinished("(owner:et")).toEqual({ before: "(owner:", field: "owner", word: "et" });
  expect(unfinished('queryText:"insert in')).toBeNull();
  expect(fieldCompletions({ before: "x ", field: null, word: "ow" })[0]?.whole).toBe("x owner:");
  const values = valueCompletions({ before: "owner:", field: "owner", word: "e" }, [{ value: "e t l", says: "" }]);
  expect(values[0]?.whole).toBe('owner:"e t l" ');
});

test("values are quoted where they would mean something else", () => {
  expect([quoted("etl"), quoted(">=NOW-7DAY"), quoted("[1 TO 10]")]).toEqual(["etl", ">=NOW-7DAY", "[1 TO 10]"]);
  expect([quoted("a b"), quoted('a"b'), quoted("a:b"), quoted("")]).toEqual(['"a b"', '"a\\"b"', '"a:b"', '""']);
});

test("what is wanted stands in the address, and the full query says all of it", () => {
  const wanted = fromAddress(
    new URLSearchParams("query=a OR b&type=TABLE&type=VIEW&owner=e t&since=NOW-7DAY&sort=name"),
  );
  expect(fullQuery(wanted)).toBe('(a OR b) AND type:(TABLE OR VIEW) AND owner:"e t" AND created:>=NOW-7DAY');
  expect(fromAddress(toAddress(wanted))).toEqual(wanted);
  expect(turned(wanted, "type", "TABLE").chosen.type).toEqual(["VIEW"]);
  expect(placeInText(wanted, 3)).toBe(2);
});

test("without facets the query is asked as it is written", () => {
  expect(fullQuery(fromAddress(new URLSearchParams("query=sample AND (x")))).toBe("sample AND (x");
});

test("what was asked for is marked, what was refused is not", () => {
  expect(needles('sample_07 -old type:table queryText:*temp* "two words"')).toEqual(["sample_07", "two words", "temp"]);
  expect(marked("my Temp table", ["temp"])).toEqual([
    { text: "my ", isFound: false },
    { text: "Temp", isFound: true },
    { text: " table", isFound: false },
  ]);
  expect(excerpt(`${"x ".repeat(300)}needle`, ["needle"], 60)).toContain("…");
});
