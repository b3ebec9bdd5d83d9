// How things stand, and what happens when the server does not answer.
import { expect, test } from "./support/test";

test("the first page tells extractors, agents, what could not be read, what is known and what ran last", async ({
  page,
}) => {
  await page.goto("/");
  for (const heading of ["Known", "Extractors", "Agents", "Could not be read", "Last statements"]) {
    await expect(page.getByRole("heading", { name: heading })).toBeVisible();
  }
  await expect(page.getByRole("row", { name: /hive.*complete/ })).toBeVisible();
  await expect(page.getByText("1 stretch of input could not be read")).toBeVisible();
  await expect(page.getByRole("row", { name: /malformed/ })).toBeVisible();
  await expect(page.getByText("insert into table sample_merge select * from temp_sample_08")).toBeVisible();
});

test("an extractor runs when it is told to, and its runs are listed", async ({ page }) => {
  await page.goto("/extractors/hive");
  const rows = page.getByRole("table").last().getByRole("row");
  await expect(rows.first()).toBeVisible();
  const before = await rows.count();
  await page.getByRole("button", { name: "Run now" }).click();
  await expect(rows).toHaveCount(before + 1);
});

test("what could not be read is shown with its bytes and what to do", async ({ page }) => {
  await page.goto("/problems");
  await expect(page.getByText(/hive-lineage\.log\.2/)).toBeVisible();
  await expect(page.getByText("broken in the file")).toBeVisible();
  await page.getByRole("button", { name: "Read again" }).click();
  await expect(page.getByText("0 of 1 could be read now")).toBeVisible();
  await expect(page.getByRole("link", { name: "default.temp_sample_08" })).toBeVisible();
});

test("what does not answer is said, and asked again", async ({ page }) => {
  await page.route("**/api/v1/lineage/**", (route) =>
    route.fulfill({ status: 400, json: { error: "the lineage is out", hint: "wait" } }),
  );
  await page.goto("/entity/sample_merge/lineage");
  await expect(page.getByRole("alert")).toContainText("the lineage is out");
  await page.unroute("**/api/v1/lineage/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".node").first()).toBeVisible();
});

test("a name that several things bear lists them; one that nothing bears says so", async ({ page }) => {
  await page.goto("/entity/no.such.thing");
  await expect(page.getByRole("alert")).toContainText("no.such.thing");
  await page.goto("/no/such/page");
  await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
});

test("every SELECT on a table is found with it", async ({ page }) => {
  await page.goto("/entity/default.sample_07/operations");
  await page.getByRole("button", { name: "only reads" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByText("select code as id from default.sample_07")).toBeVisible();
});
