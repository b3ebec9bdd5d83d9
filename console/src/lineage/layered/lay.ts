import { type LaidOut, layered, type ToLayOut } from "./layered";

/** So many nodes and edges are laid out sooner than a worker begins. */
const AT_ONCE = 1_200;

let worker: Worker | null = null;
let asked = 0;

/** Under this name the browser's own tools, and our measurements, find how long a layout took. */
const MEASURED_AS = "lineage layout";

/** Lays a graph out: a small one at once, a large one in a worker. */
export function lay(toLayOut: ToLayOut): LaidOut | Promise<LaidOut> {
  const start = performance.now();
  const answer = begun(toLayOut);
  const measure = () => performance.measure(MEASURED_AS, { start, end: performance.now() });
  if (answer instanceof Promise) answer.then(measure, () => {});
  else measure();
  return answer;
}

function begun(toLayOut: ToLayOut): LaidOut | Promise<LaidOut> {
  if (toLayOut.nodes.length + toLayOut.edges.length <= AT_ONCE) return layered(toLayOut);
  worker ??= new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const answering = worker;
  asked += 1;
  const number = asked;
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent<{ number: number; laidOut: LaidOut }>) => {
      if (data.number !== number) return;
      answering.removeEventListener("message", listen);
      resolve(data.laidOut);
    };
    answering.addEventListener("message", listen);
    answering.addEventListener("error", (event) => reject(new Error(`the layout failed: ${event.message}`)), {
      once: true,
    });
    answering.postMessage({ number, toLayOut });
  });
}
