// Search: facets, order, completion, what is wrong.
import { expect, test } from "./support/test";

test("facets narrow, and stand in the address", async ({ page }) => {
  await page.goto("/search?query=sample");
  await page
    .getByRole("group", { name: "Type" })
    .getByRole("checkbox", { name: /^table/ })
    .check();
  await expect(page.getByText("4 results")).toBeVisible();
  await page.getByRole("group", { name: "Deleted" }).getByRole("checkbox", { name: /^yes/ }).check();
  await expect(page.getByText("1 result", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/type=TABLE&deleted=true/);
  await page.getByRole("button", { name: "show full query" }).click();
  await expect(page.getByText("(sample) AND type:TABLE AND deleted:true")).toBeVisible();
  await page.reload();
  await expect(page.getByText("1 result", { exact: true })).toBeVisible();
  await expect(page.locator("mark").first()).toHaveText("sample");
});

test("a wrong query shows where it is wrong", async ({ page }) => {
  await page.goto(`/search?query=${encodeURIComponent("sample AND (x")}`);
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("the `(` is never closed");
  await expect(alert.locator("pre")).toHaveText("sample AND (x\n           ^");
  await page.goto("/search?query=ownr:hive");
  await expect(alert).toContainText("did you mean `owner`?");
});

test("results load on while one reads", async ({ page }) => {
  await page.goto("/search?query=database:hostile&sort=name");
  await expect(page.getByRole("list", { name: "Results" }).getByRole("listitem").first()).toBeVisible();
  const last = page
    .getByRole("listitem")
    .filter({ has: page.locator("article") })
    .last();
  await expect(async () => {
    await page.mouse.wheel(0, 4000);
    const [place, size] = [await last.getAttribute("aria-posinset"), await last.getAttribute("aria-setsize")];
    expect(Number(size)).toBeGreaterThan(60);
    expect(place).toBe(size);
  }).toPass();
});

test("nothing found says where else to look", async ({ page }) => {
  await page.goto("/search?query=temp_sample_08");
  await expect(page.getByText("Nothing matches.").or(page.getByRole("list", { name: "Results" }))).toBeVisible();
  await page.goto("/search?query=no_such_name_at_all");
  await expect(page.getByText("Nothing matches.")).toBeVisible();
  await expect(page.getByRole("link", { name: "queryText:*no_such_name_at_all*" })).toBeVisible();
});

test("a percent sign in a query or a name stays what it is", async ({ page }) => {
  await page.goto(`/search?query=${encodeURIComponent('queryText:"100%25"')}`);
  await expect(page.getByRole("combobox", { name: "Search" }).last()).toHaveValue('queryText:"100%25"');
  await page.goto(`/entity/${encodeURIComponent("/a/100%41")}`);
  await expect(page.getByRole("alert")).toContainText("/a/100%41");
});
