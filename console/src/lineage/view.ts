// What a reader chose to see. All of it stands in the address, what is usual is left out.
import type { Direction, Id } from "../api/answers";

export type Side = "upstream" | "downstream";

/** Neighbours of a node that were asked for beyond the options' depth. */
export interface Expansion {
  id: Id;
  side: Side;
  depth: number;
}

export interface View {
  direction: Direction;
  depth: number;
  operations: boolean;
  deleted: boolean;
  controlFlow: boolean;
  unlinked: boolean;
  directories: boolean;
  /** A date or time, as it was written. */
  asOf: string | null;
  /** The most nodes of the first answer. */
  limit: number;
  expansions: readonly Expansion[];
  /** Nodes whose columns are open. */
  open: readonly Id[];
  /** The column whose path stays lit, by its qualified name. */
  pinned: string | null;
  /** The node or edge that the side pane is about. */
  selected: string | null;
  form: "graph" | "list";
}

export type Switch = "operations" | "deleted" | "controlFlow" | "unlinked" | "directories";

/** Under the names that Navigator's users know. */
export const SWITCHES: readonly { key: Switch; word: string; says: string }[] = [
  { key: "operations", word: "Operations", says: "show statements as nodes" },
  { key: "deleted", word: "Deleted Entities", says: "show what is gone; without it, it is folded through" },
  {
    key: "controlFlow",
    word: "Control Flow Relations",
    says: "also follow columns that only decide which rows arrive",
  },
  { key: "unlinked", word: "Unlinked", says: "show names that no source has shown" },
  { key: "directories", word: "Directories", says: "show where the data of tables lies" },
];

export const MAX_DEPTH = 10;
export const LIMITS = [100, 500, 2_000, 10_000] as const;

export const USUAL: View = {
  direction: "both",
  depth: 2,
  operations: false,
  deleted: false,
  controlFlow: false,
  unlinked: false,
  directories: false,
  asOf: null,
  limit: 100,
  expansions: [],
  open: [],
  pinned: null,
  selected: null,
  form: "graph",
};

const MOST_LISTED = 500;

export function fromAddress(search: URLSearchParams): View {
  const direction = search.get("direction");
  const depth = Number(search.get("depth") ?? USUAL.depth);
  const limit = Number(search.get("limit") ?? USUAL.limit);
  const view: View = {
    ...USUAL,
    direction: direction === "upstream" || direction === "downstream" ? direction : "both",
    depth: Number.isInteger(depth) && depth >= 1 && depth <= MAX_DEPTH ? depth : USUAL.depth,
    asOf: search.get("asOf") || null,
    limit: LIMITS.find((allowed) => allowed === limit) ?? USUAL.limit,
    open: list(search.get("open")),
    expansions: list(search.get("more")).flatMap(readExpansion),
    pinned: search.get("column"),
    selected: search.get("selected"),
    form: search.get("form") === "list" ? "list" : "graph",
  };
  for (const { key } of SWITCHES) view[key] = search.get(key) === "true";
  return view;
}

/** A view as it was read anew, with what it has in common with the one before as the same objects. */
export function kept(before: View | null, next: View): View {
  if (!before) return next;
  if (toAddress(before).toString() === toAddress(next).toString()) return before;
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  return {
    ...next,
    open: same(before.open, next.open) ? before.open : next.open,
    expansions: same(before.expansions, next.expansions) ? before.expansions : next.expansions,
  };
}

export function toAddress(view: View): URLSearchParams {
  const search = new URLSearchParams();
  if (view.direction !== USUAL.direction) search.set("direction", view.direction);
  if (view.depth !== USUAL.depth) search.set("depth", String(view.depth));
  for (const { key } of SWITCHES) if (view[key]) search.set(key, "true");
  if (view.asOf) search.set("asOf", view.asOf);
  if (view.limit !== USUAL.limit) search.set("limit", String(view.limit));
  if (view.open.length > 0) search.set("open", view.open.join(","));
  if (view.expansions.length > 0) {
    search.set("more", view.expansions.map(({ id, side, depth }) => `${id}.${side}.${depth}`).join(","));
  }
  if (view.pinned) search.set("column", view.pinned);
  if (view.selected) search.set("selected", view.selected);
  if (view.form !== "graph") search.set("form", view.form);
  return search;
}

function list(text: string | null): string[] {
  return text ? text.split(",").filter(Boolean).slice(0, MOST_LISTED) : [];
}

function readExpansion(text: string): Expansion[] {
  const [id, side, depth] = text.split(".");
  const hops = Number(depth);
  if (!id || (side !== "upstream" && side !== "downstream")) return [];
  return Number.isInteger(hops) && hops >= 1 && hops <= MAX_DEPTH ? [{ id, side, depth: hops }] : [];
}

/** What the server is asked for the root. */
export function parametersOf(view: View, withColumns: boolean) {
  return {
    direction: view.direction === "both" ? undefined : view.direction,
    depth: view.depth,
    ...switchesOf(view),
    columns: withColumns,
    limit: view.limit,
  };
}

/** What the server is asked for more neighbours of a node. */
export function parametersOfExpansion(view: View, expansion: Expansion, withColumns: boolean) {
  return {
    direction: expansion.side,
    depth: expansion.depth,
    ...switchesOf(view),
    columns: withColumns,
    limit: LIMITS[LIMITS.length - 1],
  };
}

function switchesOf(view: View) {
  return {
    operations: view.operations,
    deleted: view.deleted,
    controlFlow: view.controlFlow,
    unlinked: view.unlinked,
    physical: view.directories,
    asOf: view.asOf ?? undefined,
  };
}

/** Whether columns have to be asked for. */
export function needsColumns(view: View): boolean {
  return view.open.length > 0 || view.pinned !== null;
}
