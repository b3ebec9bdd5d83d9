// The sample of the walk-through, clicked through.
import { expect, test } from "./support/test";

test("from search to the ghost that was never extracted", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("sample_merge");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/search\?query=sample_merge/);

  await page.getByRole("link", { name: "default.sample_merge", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "default.sample_merge" })).toBeVisible();
  await page.getByRole("navigation", { name: "Sheets" }).getByRole("link", { name: "Lineage" }).click();

  const graph = page.getByRole("application", { name: "Lineage graph" });
  await expect(graph.locator(".node").filter({ hasText: "sample_07" })).toBeVisible();
  await expect(graph.locator(".node").filter({ hasText: "temp_sample_08" })).toHaveCount(0);
  await expect(page.getByText("1 deleted asset folded through")).toBeVisible();

  const options = page.getByRole("toolbar");
  for (const option of ["Deleted Entities", "Unlinked", "Operations"]) {
    await options.getByRole("button", { name: option, exact: true }).click();
  }
  const gone = graph.locator(".node").filter({ hasText: "temp_sample_07" });
  await expect(gone).toContainText("deleted");
  await expect(gone.locator(".name")).toHaveCSS("text-decoration-line", "line-through");
  const ghost = graph.locator(".node").filter({ hasText: "temp_sample_08" });
  await expect(ghost).toContainText("known from query text only");
  await expect(ghost).toHaveCSS("border-top-style", "dotted");
  await expect(page).toHaveURL(/operations=true&deleted=true&unlinked=true/);

  await graph.locator(".node-operation").filter({ hasText: "1 input by name only" }).click();
  const pane = page.getByRole("complementary", { name: "What is selected" });
  await expect(pane.getByText("insert into table sample_merge select * from temp_sample_08")).toBeVisible();
  await expect(pane.getByText("default.temp_sample_08, its input, is not linked")).toBeVisible();
  await expect(pane.getByText(/hive-lineage\.log\.1 at byte/)).toBeVisible();

  await ghost.click();
  await pane.getByRole("link", { name: "Its page" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "default.temp_sample_08" })).toBeVisible();
  await expect(page.getByText("Known from query text only: statements name it")).toBeVisible();
  await page.getByRole("link", { name: "Operations 2" }).click();
  await expect(page.getByRole("row")).toHaveCount(3);
});
