// Every option of the lineage explorer, and that each stands in the address.

import { nodeOf, openLineage, placeOf } from "./support/graph";
import { expect, test } from "./support/test";

test("every option shows what it says, and the address brings it back", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge");
  const options = page.getByRole("toolbar", { name: "What the lineage shows" });
  const turn = (word: string) => options.getByRole("button", { name: word, exact: true }).click();

  await expect(graph.locator(".node")).toHaveCount(2);
  await turn("Operations");
  await expect(graph.locator(".node-operation")).toHaveCount(3);
  await turn("Deleted Entities");
  await expect(nodeOf(graph, "default.temp_sample_07")).toBeVisible();
  await turn("Unlinked");
  await expect(nodeOf(graph, "default.temp_sample_08")).toBeVisible();
  await turn("Directories");
  await expect(graph.getByText("not shown by any file system").first()).toBeVisible();
  await turn("Control Flow Relations");
  await expect(page).toHaveURL(/controlFlow=true/);
  await turn("Only Downstream");
  await expect(nodeOf(graph, "default.sample_07")).toHaveCount(0);
  await turn("Only Upstream");
  await expect(nodeOf(graph, "default.sample_07")).toBeVisible();
  await options.getByRole("button", { name: "one hop less" }).click();
  await expect(nodeOf(graph, "default.sample_07")).toHaveCount(0);

  const address = page.url();
  for (const part of [
    "direction=upstream",
    "depth=1",
    "operations=true",
    "deleted=true",
    "unlinked=true",
    "directories=true",
  ]) {
    expect(address).toContain(part);
  }
  const shown = await graph.locator(".node").count();
  await page.reload();
  await expect(graph.locator(".node")).toHaveCount(shown);
});

test("as of a day before everything, nothing was there, and the page says so", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge");
  const day = page.getByLabel("As of", { exact: true }).last();
  await day.fill("2026-11-01");
  await expect(graph.locator(".node"), "not before the day is whole").toHaveCount(2);
  await day.press("Enter");
  await expect(page.getByText("Nothing had been seen by 1 Nov 2026.")).toBeVisible();
  await expect(graph.locator(".node")).toHaveCount(1);
  await page.getByRole("button", { name: "now", exact: true }).click();
  await expect(graph.locator(".node")).toHaveCount(2);
  // What was seen on a day was seen by the end of it.
  const today = await page.evaluate(() => new Date().toLocaleDateString("sv"));
  await day.fill(today);
  await day.press("Enter");
  await expect(page).toHaveURL(/asOf=/);
  await expect(graph.locator(".node")).toHaveCount(2);
});

test("steps are undone and done again", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge");
  await page.getByRole("button", { name: "Deleted Entities" }).click();
  await expect(graph.locator(".node")).toHaveCount(3);
  await page.getByRole("button", { name: "undo" }).click();
  await expect(graph.locator(".node")).toHaveCount(2);
  await page.getByRole("button", { name: "redo" }).click();
  await expect(graph.locator(".node")).toHaveCount(3);
});

test("expanding all says how much that is, and nothing that was there jumps", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge", "direction=upstream&depth=1&operations=true&deleted=true");
  const root = nodeOf(graph, "default.sample_merge");
  const before = await placeOf(root);
  const middle = await placeOf(nodeOf(graph, "default.temp_sample_07"));
  await page.getByRole("button", { name: "Expand all ←" }).click();
  await expect(page.getByText(/6 nodes within 10 hops upstream/)).toBeVisible();
  await page.getByRole("button", { name: "Show 6" }).click();
  await expect(page.getByText("3 assets shown")).toBeVisible();
  expect(await placeOf(root)).toEqual(before);
  expect(await placeOf(nodeOf(graph, "default.temp_sample_07"))).toEqual(middle);
  await page.getByRole("button", { name: "fit all on the screen" }).click();
  await expect(nodeOf(graph, "default.sample_07")).toBeVisible();
});

test("a side's button shows the neighbours that the depth left out", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge", "direction=upstream&depth=1&deleted=true");
  const table = graph.locator(".react-flow__node").filter({ hasText: "temp_sample_07" });
  await table.getByRole("button", { name: "1 more upstream" }).click();
  await page.getByRole("button", { name: "fit all on the screen" }).click();
  await expect(nodeOf(graph, "default.sample_07")).toBeVisible();
  await expect(table.getByRole("button", { name: /more upstream/ })).toHaveCount(0);
  await expect(page).toHaveURL(/more=\w+\.upstream\.1/);
});

test("a column lights its whole path, a click keeps it lit, and a wide table can be filtered", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge", "deleted=true&unlinked=true");
  await nodeOf(graph, "default.sample_merge").getByRole("button", { name: "open columns" }).click();
  const code = nodeOf(graph, "default.sample_merge").getByRole("button", { name: /^code/ });
  await code.hover();
  await expect(graph.locator(".line-thread.line-lit").first()).toBeAttached();
  await expect(nodeOf(graph, "default.sample_07")).toHaveClass(/node-lit/);
  await code.click();
  await page.mouse.move(5, 5);
  await expect(nodeOf(graph, "default.sample_08")).toHaveClass(/node-lit/);
  await expect(page).toHaveURL(/column=default.sample_merge.code/);

  const wide = await openLineage(page, "hostile.wide");
  await nodeOf(wide, "hostile.wide").getByRole("button", { name: "open columns" }).click();
  await expect(wide.locator(".node-column")).toHaveCount(16);
  await wide.getByLabel("Filter the columns").fill("column_59");
  await expect(wide.locator(".node-column")).toHaveCount(1);
});

test("looking at something never moves the picture", async ({ page }) => {
  const graph = await openLineage(page, "sample_merge", "operations=true");
  const root = nodeOf(graph, "default.sample_merge");
  const before = await placeOf(root);
  await graph.locator(".node-operation").first().click();
  await expect(page.getByRole("complementary", { name: "What is selected" })).toBeVisible();
  expect(await placeOf(root)).toEqual(before);
});
