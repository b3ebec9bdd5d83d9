// Lays large graphs out beside the page, which goes on answering.
import { layered, type ToLayOut } from "./layered";

addEventListener("message", ({ data }: MessageEvent<{ number: number; toLayOut: ToLayOut }>) => {
  postMessage({ number: data.number, laidOut: layered(data.toLayOut) });
});
