// Every page, on a large screen and a small one, light and dark: no rule of accessibility is broken,
// nothing is wider than the screen. A picture of each is kept in test-results/pages.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { EVERYTHING } from "./support/graph";
import { expect, test } from "./support/test";

const PICTURES = join(import.meta.dirname, "../test-results/pages");
/** Those that docs/console.md shows. */
const SHOWN = new Set([
  "lineage-1440-light.png",
  "lineage-1440-dark.png",
  "lineage-390-light.png",
  "extractors-390-light.png",
]);
const SHOWN_IN = join(import.meta.dirname, "../../docs/console");
const PAGES = {
  overview: "/",
  search: "/search?query=sample",
  table: "/entity/default.sample_merge/details",
  schema: "/entity/default.sample_merge/schema",
  lineage: `/entity/default.sample_merge/lineage?${EVERYTHING}`,
  list: `/entity/default.sample_merge/lineage?${EVERYTHING}&form=list`,
  operations: "/entity/default.sample_07/operations",
  files: "/entity/default.sample_merge/files",
  history: "/entity/default.temp_sample_07/history",
  changes: "/entity/hostile.wide/history",
  ghost: "/entity/default.temp_sample_08/details",
  database: "/entity/hostile/contents",
  statements: "/operations",
  extractors: "/extractors",
  extractor: "/extractors/hive",
  problems: "/problems",
};
const SCREENS = [
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
  { width: 360, height: 740, scheme: "dark" },
] as const;

for (const { width, height, scheme } of SCREENS) {
  test.describe(`${width} px, ${scheme}`, () => {
    test.use({ viewport: { width, height }, colorScheme: scheme });
    for (const [name, address] of Object.entries(PAGES)) {
      test(name, async ({ page }) => {
        await page.goto(address);
        await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
        await page.waitForLoadState("networkidle");
        await expect(page.getByText("Reading")).toHaveCount(0);
        mkdirSync(PICTURES, { recursive: true });
        const picture = `${name}-${width}-${scheme}.png`;
        await page.screenshot({ path: join(PICTURES, picture) });
        if (process.env.SEXTANT_WRITE_PICTURES && SHOWN.has(picture))
          copyFileSync(join(PICTURES, picture), join(SHOWN_IN, picture));
        // Scripts of the page itself are bound by the policy; this one comes from outside of it.
        await page.evaluate(axe.source);
        const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
        const faults = found.violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`,
        );
        expect(faults).toEqual([]);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(wide).toBeLessThanOrEqual(0);
      });
    }
  });
}

test("at 200 % zoom everything can still be used", async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  for (const address of Object.values(PAGES)) {
    await page.goto(address);
    await page.waitForLoadState("networkidle");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, address).toBeLessThanOrEqual(0);
  }
});
