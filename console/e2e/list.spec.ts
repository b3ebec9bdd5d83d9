// The list form holds the very edges of the picture.

import { EVERYTHING, openLineage } from "./support/graph";
import { expect, test } from "./support/test";

for (const [name, options] of [
  ["sample_merge", ""],
  ["sample_merge", EVERYTHING],
  ["sample_07", `${EVERYTHING}&depth=4`],
] as const) {
  test(`the list of ${name} with "${options}" is the graph`, async ({ page }) => {
    const graph = await openLineage(page, name, options);
    await page.getByRole("button", { name: "fit all on the screen" }).click();
    await expect(graph.locator(".react-flow__edge").first()).toBeAttached();
    const drawn = await graph
      .locator(".react-flow__edge")
      .evaluateAll((edges) => edges.map((edge) => edge.getAttribute("data-id") ?? ""));
    await page.getByRole("button", { name: "List", exact: true }).click();
    const rows = page.getByRole("table", { name: "Edges of the lineage" }).locator("[data-edge]");
    await expect(rows).toHaveCount(drawn.length);
    const listed = await rows.evaluateAll((edges) => edges.map((edge) => edge.getAttribute("data-edge") ?? ""));
    expect(listed.sort()).toEqual(drawn.sort());
    await expect(page.getByRole("row").nth(1)).toContainText("observed");
  });
}
