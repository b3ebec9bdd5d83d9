// Measures the lineage picture in a browser, with graphs of several shapes and sizes that stand in
// for the server's answers: first paint after the answer, layout, panning. Tells one figure a line for
// the table of docs/benchmarks.md: what, a tab, the figure. The built console is served from dist/.
// usage: node measure/run.mjs
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { chromium } from "@playwright/test";
import { SHAPES } from "./shapes.mjs";

const BUILT = resolve(import.meta.dirname, "../dist");
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const TIMES = Number(process.env.SEXTANT_BENCH_TIMES ?? 3);
const PAN_FRAMES = 120;

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  const file = extname(path) ? join(BUILT, path) : join(BUILT, "index.html");
  try {
    response
      .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
      .end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function measured({ answer, address }) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.route("**/api/v1/**", (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path.startsWith("/api/v1/lineage/")) return route.fulfill({ json: answer.lineage });
    if (path.endsWith("/children")) return route.fulfill({ json: { results: answer.columns ?? [], next: null } });
    if (path.startsWith("/api/v1/entities/")) return route.fulfill({ json: answer.root });
    return route.fulfill({ json: { results: [], quarantine: {}, attention: [], groups: [] } });
  });
  await page.addInitScript(() => {
    const seen = {};
    globalThis.__seen = seen;
    const json = Response.prototype.json;
    Response.prototype.json = async function read() {
      const body = await json.call(this);
      if (this.url.includes("/lineage/")) seen.answered ??= performance.now();
      return body;
    };
    new MutationObserver(() => {
      if (seen.painted === undefined && document.querySelector(".react-flow__node .node")) {
        seen.painted = null;
        requestAnimationFrame(() =>
          setTimeout(() => {
            seen.painted = performance.now();
          }),
        );
      }
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(base + address);
  await page.waitForFunction(() => typeof globalThis.__seen.painted === "number", null, { timeout: 120_000 });
  const seen = await page.evaluate(() => ({
    ...globalThis.__seen,
    layout: performance.getEntriesByName("lineage layout")[0]?.duration ?? Number.NaN,
  }));
  // All of it on the screen: the hardest to move.
  await page.getByRole("button", { name: "fit all on the screen" }).click();
  await page.waitForTimeout(500);
  const nodes = await page.locator(".react-flow__node").count();
  const frames = page.evaluate(
    (count) =>
      new Promise((done) => {
        const times = [];
        const frame = (time) => {
          times.push(time);
          if (times.length > count) done(times.slice(1).map((end, place) => end - times[place]));
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    PAN_FRAMES,
  );
  await page.mouse.move(700, 380);
  await page.mouse.down();
  let isMoving = true;
  const done = frames.then((times) => {
    isMoving = false;
    return times;
  });
  for (let step = 0; isMoving && step < 2_000; step += 1)
    await page.mouse.move(700 + 200 * Math.sin(step / 20), 380 + 100 * Math.cos(step / 20));
  const times = await done;
  await page.mouse.up();
  await page.close();
  const sorted = times.toSorted((a, b) => a - b);
  return {
    paint: seen.painted - seen.answered,
    layout: seen.layout,
    fps: 1000 / (times.reduce((sum, time) => sum + time, 0) / times.length),
    worst: sorted[Math.floor(sorted.length * 0.95)],
    nodes,
  };
}

for (const shape of SHAPES.filter(({ name }) => name.includes(process.env.ONLY ?? ""))) {
  const made = shape.make();
  const runs = [];
  for (let time = 0; time < TIMES; time += 1) runs.push(await measured(made));
  const of = (key) => middle(runs.map((run) => run[key]));
  const { nodes, edges } = made.answer.lineage;
  const figures = [
    `first paint ${Math.round(of("paint"))} ms after the answer`,
    `${Math.round(of("layout"))} ms of it layout`,
    `panning ${of("nodes")} nodes on the screen ${Math.round(of("fps"))} frames/s, 95 % of them within ${Math.round(of("worst"))} ms`,
  ];
  console.log(`${shape.name}: ${nodes.length} nodes, ${edges.length} edges\t${figures.join("; ")}`);
}
await browser.close();
server.close();
