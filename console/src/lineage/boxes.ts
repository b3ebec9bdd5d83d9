// How large each node is. The picture is laid out from these numbers and the style sheet keeps to them.
import type { Id, LineageNode } from "../api/answers";
import { stateOf } from "../words/kinds";
import { counted } from "../words/numbers";
import { type Column, FILTER_FROM, rowsShown } from "./columns";
import { type Graph, isOperation } from "./graph";
import { hasMore } from "./more";

export const ASSET_WIDTH = 232;
export const OPERATION_WIDTH = 196;
export const HEAD = 36;
export const LINE = 18;
export const ROW = 24;
export const FILTER = 34;
export const PAD = 5;
/** Below a node: how many more neighbours there are. */
export const MORE = 26;

export interface Box {
  width: number;
  /** The node itself. */
  height: number;
  /** With what hangs below it. */
  outerHeight: number;
  /** Where edges touch the node if none of its columns is meant, from its top. */
  middle: number;
  /** Where the rows of its columns are, by qualified name, from its top. */
  rows: ReadonlyMap<string, number>;
  /** Where the columns are that do not fit. */
  rest: number | null;
}

export type OpenColumns = ReadonlyMap<Id, { columns: readonly Column[]; filter: string }>;

export function boxesOf(graph: Graph, open: OpenColumns): Map<Id, Box> {
  const boxes = new Map<Id, Box>();
  for (const node of graph.nodes.values()) boxes.set(node.id, boxOf(node, open.get(node.id)));
  return boxes;
}

function boxOf(node: LineageNode, open: { columns: readonly Column[]; filter: string } | undefined): Box {
  const lines = linesOf(node).length;
  const head = HEAD + (lines > 0 ? lines * LINE + 4 : 0);
  const rows = new Map<string, number>();
  let height = head;
  let rest: number | null = null;
  if (open) {
    height += PAD;
    if (open.columns.length >= FILTER_FROM) height += FILTER;
    const shown = rowsShown(open.columns, open.filter);
    for (const column of shown.rows) {
      rows.set(column.qualifiedName, height + ROW / 2);
      height += ROW;
    }
    if (shown.hidden > 0 || shown.rows.length === 0) {
      rest = height + ROW / 2;
      height += ROW;
    }
    height += PAD;
  }
  const outerHeight = height + (hasMore(node) ? MORE : 0);
  const width = isOperation(node) ? OPERATION_WIDTH : ASSET_WIDTH;
  return { width, height, outerHeight, middle: HEAD / 2, rows, rest };
}

/** What a node says below its name. */
export function linesOf(node: LineageNode): string[] {
  const lines: string[] = [];
  if (isOperation(node)) {
    if (node.unlinkedInputs > 0) lines.push(`${counted(node.unlinkedInputs, "input")} by name only`);
    return lines;
  }
  const state = stateOf(node);
  if (state) lines.push(state);
  else if (node.type === "VIEW") lines.push("view");
  if (node.unlinkedInputs > 0 && !node.unlinked) lines.push(`${counted(node.unlinkedInputs, "input")} by name only`);
  return lines;
}
