// Fails when the first load of the heaviest page, a lineage, would be larger than it may be:
// everything that index.html and that page import, gzip-compressed, with the fonts that Latin text
// needs. What a page loads only when somebody asks for it (dialogs,
// the list form, exports) does not count.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BUDGET_BYTES = 350_000;
const BUILT = fileURLToPath(new URL("../dist/", import.meta.url));
const MANIFEST = `${BUILT}assets/manifest.json`;
const HEAVIEST_PAGE = ["src/entity/EntityPage.tsx", "src/lineage/Lineage.tsx"];

const manifest = JSON.parse(readFileSync(MANIFEST, "utf8"));
const files = new Set(["index.html"]);
const reach = (key) => {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const asset of chunk.assets ?? []) if (/-latin-wght-normal.*woff2$/.test(asset)) files.add(asset);
  for (const next of chunk.imports ?? []) reach(next);
};
for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) reach(key);
for (const page of HEAVIEST_PAGE) {
  if (!manifest[page]) throw new Error(`${page} is no chunk of its own any more`);
  reach(page);
}

const sizes = [...files].map((file) => {
  const compressed = `${BUILT}${file}.gz`;
  return [file, statSync(existsSync(compressed) ? compressed : BUILT + file).size];
});
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [file, size] of sizes.sort((a, b) => b[1] - a[1])) console.log(`${String(size).padStart(9)} ${file}`);
console.log(`${String(total).padStart(9)} bytes of at most ${BUDGET_BYTES}`);
// The program has no use for the list.
for (const ending of ["", ".br", ".gz"]) rmSync(MANIFEST + ending);
if (total > BUDGET_BYTES) {
  console.error("the console's first load is too large");
  process.exit(1);
}
