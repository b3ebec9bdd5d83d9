import { expect, test } from "vitest";
import { fromAddress, kept, parametersOf, toAddress, USUAL, type View } from "./view";

test("the whole view stands in the address, and comes back from it", () => {
  const view: View = {
    direction: "upstream",
    depth: 5,
    operations: true,
    deleted: true,
    controlFlow: true,
    unlinked: true,
    directories: true,
    asOf: "2026-11-30",
    limit: 500,
    expansions: [{ id: "ab", side: "downstream", depth: 1 }],
    open: ["ab", "cd"],
    pinned: "db.`a.b`.c",
    selected: "a>b:DATA_FLOW:observed",
    form: "list",
  };
  expect(fromAddress(new URLSearchParams(toAddress(view).toString()))).toEqual(view);
});

test("what is usual is left out", () => {
  expect(toAddress(USUAL).toString()).toBe("");
  expect(fromAddress(new URLSearchParams())).toEqual(USUAL);
});

test("an address that somebody changed shows what can be understood of it", () => {
  const view = fromAddress(
    new URLSearchParams("direction=sideways&depth=99&limit=-1&more=x.y.z,ab.upstream.1&form=cube"),
  );
  expect(view).toEqual({ ...USUAL, expansions: [{ id: "ab", side: "upstream", depth: 1 }] });
});

test("the server is asked only for what is wanted", () => {
  expect(parametersOf(USUAL, false)).toMatchObject({ direction: undefined, depth: 2, deleted: false, limit: 100 });
});

test("what did not change of a view stays the same object", () => {
  const before = fromAddress(new URLSearchParams("open=a,b&more=a.upstream.1"));
  expect(kept(before, fromAddress(new URLSearchParams("open=a,b&more=a.upstream.1&at=1,2,1")))).toBe(before);
  const selected = kept(before, fromAddress(new URLSearchParams("open=a,b&more=a.upstream.1&selected=x")));
  expect(selected.selected).toBe("x");
  expect(selected.open).toBe(before.open);
  expect(selected.expansions).toBe(before.expansions);
  expect(kept(before, fromAddress(new URLSearchParams("open=a"))).open).toEqual(["a"]);
});
