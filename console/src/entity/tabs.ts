// Which sheets a thing has.
import type { WholeThing } from "../api/answers";
import { isPath } from "../words/names";

export type Tab =
  | "statement"
  | "details"
  | "schema"
  | "contents"
  | "lineage"
  | "operations"
  | "runs"
  | "files"
  | "history";

export const TAB_WORDS: Record<Tab, string> = {
  statement: "Statement",
  details: "Details",
  schema: "Schema",
  contents: "Contents",
  lineage: "Lineage",
  operations: "Operations",
  runs: "Runs",
  files: "Files",
  history: "History",
};

export function tabsOf(thing: WholeThing): Tab[] {
  switch (thing.type) {
    case "OPERATION":
      return ["statement", "lineage", "runs", "details"];
    case "OPERATION_EXECUTION":
      return ["details"];
    case "DATABASE":
      return ["contents", "details", "files", "history"];
    case "FIELD":
      return ["details", "lineage", "operations", "history"];
    case "DIRECTORY":
    case "FILE":
      return ["details", "lineage", "operations", "files", "history"];
    case null: {
      const path = thing.qualifiedName !== null && isPath(thing.qualifiedName);
      return path ? ["details", "lineage", "operations", "files"] : ["details", "lineage", "operations"];
    }
    default:
      return ["details", "schema", "lineage", "operations", "files", "history"];
  }
}

/** How much a sheet holds, where that is known beforehand. */
export function sizeOf(thing: WholeThing, tab: Tab): number | null {
  if (tab === "schema") return thing.columnCount ?? null;
  if (tab === "operations") return thing.usedByTotal ?? null;
  if (tab === "runs") return thing.executions ?? null;
  return null;
}
