// What a sighted person sees, in sentences.
import type { Id, LineageEdge, LineageNode } from "../api/answers";
import { kindOf, stateOf } from "../words/kinds";
import { shortened, wholeName } from "../words/names";
import { counted } from "../words/numbers";
import { verb } from "../words/statement";
import { exactly } from "../words/when";
import { assets, type Graph, isOperation } from "./graph";
import { moreOf, sayMore } from "./more";

const LONGEST_NAME = 120;

/** What a node is called where there is little room. */
export function titleOf(node: LineageNode): string {
  if (isOperation(node)) return verb(node.queryText, node.operationType);
  return shortened(wholeName(node), LONGEST_NAME);
}

export function sayNode(id: Id, graph: Graph): string {
  const node = graph.nodes.get(id);
  if (!node) return "";
  const said = isOperation(node)
    ? [`${kindOf(node)} ${titleOf(node)}`, counted(node.executions ?? 0, "run"), shortened(node.queryText ?? "", 160)]
    : [`${node.unlinked ? "name" : kindOf(node)} ${titleOf(node)}`];
  const state = stateOf(node);
  if (state) said.push(state);
  if (id === graph.root) said.push("this is where the lineage begins");
  said.push(
    `${(graph.into.get(id) ?? []).length} shown upstream, ${(graph.outOf.get(id) ?? []).length} shown downstream`,
  );
  for (const side of ["upstream", "downstream"] as const) {
    const more = sayMore(moreOf(node, side));
    if (more) said.push(`${more} ${side}`);
  }
  if (node.unlinkedInputs > 0) said.push(`${counted(node.unlinkedInputs, "input")} by name only`);
  return `${said.join(", ")}.`;
}

/** How an edge is known, and of what kind it is. */
export function kindOfEdge(edge: LineageEdge): string {
  switch (edge.type) {
    case "CONTROL_FLOW":
      return "control flow";
    case "LOGICAL_PHYSICAL":
      return edge.below ? "lies below its location" : "stored in";
    default:
      return "data flow";
  }
}

export function sayEdge(edge: LineageEdge): string {
  const said = [kindOfEdge(edge), edge.mark];
  if (edge.hides.length > 0) said.push(`through ${counted(edge.hides.length, "deleted asset")}`);
  if (edge.formerIncarnation) said.push("of a former incarnation");
  if (edge.lastSeen) said.push(`seen last ${exactly(edge.lastSeen)}`);
  return said.join(", ");
}

/** How much is shown, and whether a limit left something out. */
export function sayExtent(graph: Graph): string {
  const words = `${counted(assets(graph).length, "asset")} shown`;
  return graph.cut ? `${words}, and there are more` : words;
}
