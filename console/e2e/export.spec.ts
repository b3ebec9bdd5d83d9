// Export files open, and hold what is shown.
import { readFileSync } from "node:fs";
import { EVERYTHING, openLineage } from "./support/graph";
import { expect, test } from "./support/test";

test("PNG, SVG, CSV and JSON", async ({ page, context }) => {
  await openLineage(page, "sample_merge", EVERYTHING);
  const exported = async (form: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: form }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`lineage-default.sample_merge.${form.toLowerCase()}`);
    return readFileSync(await file.path());
  };

  const answer = JSON.parse((await exported("JSON")).toString()) as { nodes: unknown[]; edges: unknown[] };
  expect(answer.nodes.length).toBeGreaterThan(5);
  const rows = (await exported("CSV")).toString().trim().split("\r\n");
  expect(rows).toHaveLength(answer.edges.length + 1);
  expect(rows.some((row) => row.includes("default.temp_sample_08"))).toBe(true);

  const png = await exported("PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const svg = (await exported("SVG")).toString();
  const other = await context.newPage();
  await other.setContent(svg.slice(svg.indexOf("<svg")));
  await expect(other.locator("svg text").filter({ hasText: "temp_sample_08" }).first()).toBeVisible();
  await other.setContent(`<img src="data:image/png;base64,${png.toString("base64")}">`);
  expect(
    await other.locator("img").evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(500);
});
