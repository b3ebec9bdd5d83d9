// What became of a thing, which run found it, and what that run logged.
import { LONG, MARKUP } from "./support/hostile";
import { expect, test } from "./support/test";

test("a change leads to the run that found it, and to what the run logged", async ({ page }) => {
  await page.goto("/entity/default.temp_sample_07/history");
  const change = page.locator(".history > li").filter({ hasText: "found by the run of hive" });
  await expect(change).toContainText("deleted");
  await change.getByRole("link", { name: /run of hive at/ }).click();
  await expect(page).toHaveURL(/\/extractors\/hive\?run=2/);
  await expect(page.getByRole("heading", { name: "Log of one run" })).toBeVisible();
  const lines = page.locator(".run-log li");
  await expect(lines.first()).toContainText('pass is over phase="end" outcome="complete"');
  await expect(lines.first()).toContainText("info");
  await expect(lines.last()).toContainText("pass begins");
  await page.getByRole("link", { name: "of the newest run" }).click();
  await expect(page).toHaveURL(/\/extractors\/hive$/);
  await expect(page.getByRole("heading", { name: "Log of the newest run" })).toBeVisible();
});

test("a long and hostile value is text, cut, and opened on request", async ({ page }) => {
  await page.goto("/entity/hostile.wide/history");
  const change = page.locator(".history > li").filter({ hasText: "found by the run of hive" });
  await expect(change).toContainText(`parameter ${MARKUP}: evil\\u202egpj.exe → xxx`);
  await change.getByText("both values, of which the first 400 bytes are kept").click();
  await expect(change.locator("pre").last()).toHaveText(`${LONG.slice(0, 400)}…`);
  expect(await page.locator("body img, main script").count()).toBe(0);
});

test("a table in which nothing was changed says so", async ({ page }) => {
  await page.goto("/entity/default.sample_07/history");
  await expect(page.getByText("No change of its columns, owner, location, text or parameters was found")).toBeVisible();
});

test("a run whose log is not kept says why; a log that does not come is asked for again", async ({ page }) => {
  await page.goto("/extractors/hive?run=2020-01-01T00:00:00.000Z");
  await expect(page.getByText(/The log of the run that began 1 Jan 2020.* is not kept/)).toBeVisible();
  await page.route("**/api/v1/extractors/hive/log*", (route) =>
    route.fulfill({ status: 400, json: { error: "the log is out", hint: "wait" } }),
  );
  await page.goto("/extractors/hive");
  await expect(page.getByRole("alert")).toContainText("the log is out");
  await page.unroute("**/api/v1/extractors/hive/log*");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".run-log li").first()).toBeVisible();
});

test("what a run that failed logged is told in words, not by colour alone", async ({ page }) => {
  await page.route("**/api/v1/extractors/hive/log*", (route) =>
    route.fulfill({
      json: {
        extractor: "hive",
        started: "2026-11-30T19:07:19.000Z",
        running: false,
        kept: true,
        lines: [
          { time: "2026-11-30T19:07:19.000Z", level: "warn", text: "trying again" },
          { time: "2026-11-30T19:07:20.000Z", level: "error", text: "cannot connect" },
        ],
        dropped: 12,
      },
    }),
  );
  await page.goto("/extractors/hive");
  await expect(page.locator(".run-log li").first()).toContainText(/error\s*cannot connect/);
  await expect(page.locator(".run-log li").last()).toContainText(/warning\s*trying again/);
  await expect(page.getByText("12 older lines not kept.")).toBeVisible();
});
