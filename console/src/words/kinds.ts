// What kind a thing is, and how it stands, in words.
import type { Thing } from "../api/answers";
import { isPath } from "./names";

export type Mark = "table" | "view" | "directory" | "file" | "operation" | "column" | "database" | "run" | "name";

/** The sign that stands before a thing's name; the words say the same. */
export function markOf(thing: Pick<Thing, "type" | "qualifiedName" | "unlinked">): Mark {
  switch (thing.type) {
    case "TABLE":
      return "table";
    case "VIEW":
      return "view";
    case "FIELD":
      return "column";
    case "DATABASE":
      return "database";
    case "DIRECTORY":
      return "directory";
    case "FILE":
      return "file";
    case "PARTITION":
      return "table";
    case "OPERATION":
      return "operation";
    case "OPERATION_EXECUTION":
      return "run";
    default:
      return thing.qualifiedName && isPath(thing.qualifiedName) ? "directory" : "name";
  }
}

const SOURCES: Record<string, string> = { HIVE: "Hive", IMPALA: "Impala", HDFS: "HDFS", SPARK: "Spark" };
const TYPES: Record<string, string> = {
  FIELD: "column",
  OPERATION_EXECUTION: "run",
  OPERATION: "statement",
};

export function typeWord(type: string | null | undefined): string {
  return type ? (TYPES[type] ?? type.toLowerCase().replaceAll("_", " ")) : "name";
}

export function sourceWord(source: string | null | undefined): string {
  return source ? (SOURCES[source] ?? source.charAt(0) + source.slice(1).toLowerCase()) : "";
}

/** `Hive table`, `HDFS directory`, `name`. */
export function kindOf(thing: Pick<Thing, "type" | "sourceType">): string {
  return [sourceWord(thing.sourceType), typeWord(thing.type)].filter(Boolean).join(" ");
}

/** How a thing stands, if that is worth a word. */
export function stateOf(thing: Pick<Thing, "deleted" | "unlinked" | "state" | "qualifiedName">): string | null {
  if (thing.deleted) return "deleted";
  if (thing.unlinked) {
    const path = thing.qualifiedName !== null && isPath(thing.qualifiedName);
    return path ? "not shown by any file system" : "known from query text only";
  }
  if (thing.state === "OUT_OF_SCOPE") return "out of scope";
  return null;
}
