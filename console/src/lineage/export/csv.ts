// The graph as comma-separated text, one row for each edge.
import { wholeName } from "../../words/names";
import type { Graph } from "../graph";

const HEAD = [
  "source",
  "source_id",
  "target",
  "target_id",
  "type",
  "mark",
  "first_seen",
  "last_seen",
  "former_incarnation",
  "via",
  "folded",
];

export function csv(graph: Graph): string {
  const name = (id: string) => {
    const node = graph.nodes.get(id);
    return node ? wholeName(node) : id;
  };
  const rows = [...graph.edges.values()].map((edge) => [
    name(edge.source),
    edge.source,
    name(edge.target),
    edge.target,
    edge.type,
    edge.mark,
    edge.firstSeen ?? "",
    edge.lastSeen ?? "",
    String(edge.formerIncarnation),
    edge.via.join(" "),
    edge.hides.map((hidden) => hidden.qualifiedName ?? hidden.id).join(" "),
  ]);
  return `${[HEAD, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A cell; what a spreadsheet would take for a formula is made text. */
export function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
