// The layout engine, in a worker of its own. It is loaded when the first picture is drawn.
import ELK, { type ELK as Elk, type ElkNode } from "elkjs/lib/elk-api";
import workerAddress from "elkjs/lib/elk-worker.min.js?url";
import type { EngineGraph } from "./layout";

let engine: Elk | null = null;

/** Starts loading the engine, so that it is there when the answer comes. */
export function warmUp(): void {
  engine ??= new ELK({ workerFactory: () => new Worker(workerAddress) });
}

/** Lays a graph out. */
export async function laidOut(graph: EngineGraph): Promise<EngineGraph> {
  warmUp();
  if (!engine) throw new Error("the layout engine did not start");
  return (await engine.layout(graph as ElkNode)) as EngineGraph;
}
