import { expect, test } from "vitest";
import { NO_STEPS, redone, stepped, undone } from "./steps";
import { USUAL } from "./view";

const deeper = { ...USUAL, depth: 3 };

test("a step is undone and done again", () => {
  const after = stepped(NO_STEPS, USUAL, deeper);
  const back = undone(after, deeper);
  expect(back?.view).toEqual(USUAL);
  expect(back && redone(back.steps, back.view)?.view).toEqual(deeper);
});

test("selecting is no step, and undoing keeps what is selected", () => {
  expect(stepped(NO_STEPS, USUAL, { ...USUAL, selected: "a" })).toBe(NO_STEPS);
  expect(undone(stepped(NO_STEPS, USUAL, deeper), { ...deeper, selected: "a" })?.view.selected).toBe("a");
});

test("a new step forgets what was undone", () => {
  const back = undone(stepped(NO_STEPS, USUAL, deeper), deeper);
  expect(back && stepped(back.steps, USUAL, { ...USUAL, depth: 4 }).future).toEqual([]);
});

test("there is nothing before the first step", () => {
  expect(undone(NO_STEPS, USUAL)).toBeNull();
  expect(redone(NO_STEPS, USUAL)).toBeNull();
});
