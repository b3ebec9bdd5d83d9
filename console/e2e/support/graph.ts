// The lineage explorer, as tests handle it.
import { expect, type Locator, type Page } from "@playwright/test";

export const EVERYTHING = "operations=true&deleted=true&unlinked=true&directories=true&controlFlow=true";

/** Opens a lineage and waits until it is drawn. */
export async function openLineage(page: Page, name: string, options = ""): Promise<Locator> {
  await page.goto(`/entity/${encodeURIComponent(name)}/lineage${options ? `?${options}` : ""}`);
  const graph = page.getByRole("application", { name: "Lineage graph" });
  await expect(graph.locator(".node").first()).toBeVisible();
  return graph;
}

export function nodeOf(graph: Locator, name: string): Locator {
  return graph.locator(`.node[data-name="${name}"]`);
}

export function pane(page: Page): Locator {
  return page.getByRole("complementary", { name: "What is selected" });
}

/** Where a node is on the screen. */
export async function placeOf(node: Locator): Promise<{ x: number; y: number }> {
  const box = await node.boundingBox();
  if (!box) throw new Error("the node is not on the screen");
  return { x: Math.round(box.x), y: Math.round(box.y) };
}
