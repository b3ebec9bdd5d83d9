// Names from outside are text, wherever they are shown. That none of them becomes a program, every
// test watches (support/test.ts).
import { HOSTILE, MARKUP, RIGHT_TO_LEFT } from "./support/hostile";
import { expect, test } from "./support/test";

for (const [place, name] of HOSTILE.entries()) {
  test(`hostile name ${place + 1} is text on every sheet`, async ({ page, request }) => {
    const found = await request.get(
      `/api/v1/search?query=${encodeURIComponent(`database:hostile type:table`)}&limit=100`,
    );
    const tables = ((await found.json()) as { results: { id: string; originalName: string }[] }).results;
    const table = tables.find((candidate) => candidate.originalName === name.toLowerCase());
    expect(table, `${name.slice(0, 80)} among ${tables.length}`).toBeDefined();
    for (const sheet of ["details", "schema", "lineage", "operations", "files", "history"]) {
      await page.goto(`/entity/${table?.id}/${sheet}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.getByRole("heading", { level: 1 }).locator("img, script")).toHaveCount(0);
      expect(await page.locator("body img, body script").count()).toBe(0);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide, sheet).toBeLessThanOrEqual(0);
    }
  });
}

test("what turns the direction of writing is made visible", async ({ page }) => {
  await page.goto(`/search?query=${encodeURIComponent("database:hostile type:table originalName:*gpj*")}`);
  await expect(page.getByRole("link", { name: "evil\\u202egpj.exe" })).toBeVisible();
  expect(await page.locator("main").textContent()).not.toContain(RIGHT_TO_LEFT[4]);
});

test("a statement with markup is shown as it was written", async ({ page }) => {
  await page.goto("/operations");
  await page.getByRole("link", { name: /insert into hostile.wide/ }).click();
  await expect(page.locator(".statement").first()).toContainText(MARKUP);
  expect(await page.locator("body img, main script").count()).toBe(0);
});
