// The lineage explorer without a pointer.

import { openLineage, pane } from "./support/graph";
import { expect, test } from "./support/test";

test("the graph is one stop; arrows follow edges, Enter tells, Escape clears", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge", "operations=true&deleted=true&unlinked=true");
  const said = graph.getByRole("status");
  await graph.focus();
  await expect(said).toContainText("Hive table default.sample_merge");
  await page.keyboard.press("ArrowLeft");
  await expect(said).toContainText("Hive statement insert");
  await page.keyboard.press("ArrowLeft");
  await expect(said).toContainText(/default\.temp_sample_0[78], (deleted|known from query text only)/);
  await page.keyboard.press("ArrowRight");
  await expect(said).toContainText("Hive statement insert");
  await page.keyboard.press("Enter");
  await expect(pane(page).getByText(/^insert into table sample_merge select \* from temp_sample_0/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(pane(page)).toHaveCount(0);
  await page.keyboard.press("Home");
  await expect(said).toContainText("this is where the lineage begins");
  // Nothing inside of the graph takes the focus by Tab.
  await page.keyboard.press("Tab");
  expect(await graph.evaluate((element) => element.contains(document.activeElement))).toBe(false);
});

test("every action has a key, and the question mark lists them", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge");
  await graph.focus();
  for (const [key, part] of [
    ["o", "operations=true"],
    ["d", "deleted=true"],
    ["n", "unlinked=true"],
    ["k", "controlFlow=true"],
    ["p", "directories=true"],
    ["1", "direction=upstream"],
    [".", "depth=3"],
    ["c", "open="],
    ["l", "form=list"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(page).toHaveURL(new RegExp(part));
    if (key === "o") await graph.focus();
  }
  await page.keyboard.press("l");
  await expect(graph).toBeVisible();
  await graph.focus();
  await page.keyboard.press("u");
  await expect(page).toHaveURL(/form=list/);
  await page.keyboard.press("r");
  await expect(graph).toBeVisible();
  await graph.focus();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await graph.focus();
  await page.keyboard.press("s");
  await page.keyboard.type("sample_08");
  await expect(page.getByText(/\d found/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(graph.getByRole("status")).toContainText("sample_08");
  await graph.focus();
  await page.keyboard.press("g");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("sample_08");
});

test("search is written, completed and sent without a pointer", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("/");
  await page.keyboard.type("ty");
  await expect(page.getByRole("option", { name: /^type:/ })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Search" })).toHaveValue("type:");
  await page.keyboard.type("vie");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/query=type%3Avie/);
});
