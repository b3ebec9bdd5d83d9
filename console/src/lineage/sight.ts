// Which part of the picture is on the screen.
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import type { Places, Point } from "./layout";

export interface Sight {
  x: number;
  y: number;
  zoom: number;
}
export interface Size {
  width: number;
  height: number;
}

/** Smaller than this, names cannot be read. */
const READABLE = 0.62;
const AT_ROOT = 0.85;
const MARGIN = 32;
/** The bar stands above the picture, the legend below it. */
const TOP = 64;
const BOTTOM = 96;

export function bounds(places: Places, boxes: ReadonlyMap<Id, Box>) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [id, { x, y }] of places) {
    const box = boxes.get(id);
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + (box?.width ?? 0));
    bottom = Math.max(bottom, y + (box?.outerHeight ?? 0));
  }
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/** All of it in the middle of the screen. */
export function whole(places: Places, boxes: ReadonlyMap<Id, Box>, size: Size, largest = 1): Sight {
  const { left, top, width, height } = bounds(places, boxes);
  const room = { width: size.width - 2 * MARGIN, height: size.height - TOP - BOTTOM };
  const zoom = Math.max(0.04, Math.min(largest, room.width / width, room.height / height));
  return {
    x: (size.width - width * zoom) / 2 - left * zoom,
    y: TOP + (room.height - height * zoom) / 2 - top * zoom,
    zoom,
  };
}

/** What is seen first: all of it if that can be read, else the root, on the side where nothing lies beyond it. */
export function beginning(root: Id, places: Places, boxes: ReadonlyMap<Id, Box>, size: Size): Sight {
  const all = whole(places, boxes, size);
  const sight = around(root, places, boxes, size, AT_ROOT);
  const place = places.get(root);
  if (all.zoom >= READABLE || !sight || !place) return all;
  const { left, width } = bounds(places, boxes);
  const rootWidth = boxes.get(root)?.width ?? 0;
  const aside = size.width / 2 - MARGIN / 2 - (rootWidth / 2) * sight.zoom;
  if (place.x <= left) return { ...sight, x: sight.x - aside };
  if (place.x + rootWidth >= left + width) return { ...sight, x: sight.x + aside };
  return sight;
}

/** One node in the middle. */
export function around(id: Id, places: Places, boxes: ReadonlyMap<Id, Box>, size: Size, zoom: number): Sight | null {
  const [place, box] = [places.get(id), boxes.get(id)];
  if (!place || !box) return null;
  return {
    x: size.width / 2 - (place.x + box.width / 2) * zoom,
    y: size.height / 2 - (place.y + box.height / 2) * zoom,
    zoom,
  };
}

/** What is in the middle of the screen, from the root, for the address: `-120,40,0.85`. */
export function sightOf({ x, y, zoom }: Sight, root: Point, size: Size): string {
  const middle = [(size.width / 2 - x) / zoom - root.x, (size.height / 2 - y) / zoom - root.y];
  return [...middle.map(Math.round), Math.round(zoom * 100) / 100].join(",");
}

export function lookedAt(text: string | null, root: Point, size: Size): Sight | null {
  const [x, y, zoom] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || !zoom || ![x, y, zoom].every(Number.isFinite)) return null;
  return { x: size.width / 2 - (root.x + x) * zoom, y: size.height / 2 - (root.y + y) * zoom, zoom };
}
