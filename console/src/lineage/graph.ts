// The graph of one or several answers.
import type { Id, LineageAnswer, LineageEdge, LineageNode } from "../api/answers";
import { joinedMore, moreOf } from "./more";
import type { Expansion } from "./view";

export interface Graph {
  root: Id;
  nodes: ReadonlyMap<Id, LineageNode>;
  edges: ReadonlyMap<string, LineageEdge>;
  /** Edges by the node they lead into, and out of. */
  into: ReadonlyMap<Id, readonly LineageEdge[]>;
  outOf: ReadonlyMap<Id, readonly LineageEdge[]>;
  cut: boolean;
  notes: readonly string[];
  operationsWithoutLineage: number;
}

export interface Expanded {
  expansion: Expansion;
  answer: LineageAnswer;
}

/** What makes an edge one edge: its ends, its type, how it is known, and of which life it is. */
export function keyOf(edge: LineageEdge): string {
  return `${edge.source}>${edge.target}:${edge.type}:${edge.mark}${edge.formerIncarnation ? ":former" : ""}`;
}

export function isOperation(node: LineageNode | undefined): boolean {
  return node?.type === "OPERATION";
}

/** Puts the first answer and those that were asked for later together. */
export function merged(first: LineageAnswer, later: readonly Expanded[]): Graph {
  const nodes = new Map<Id, LineageNode>();
  const edges = new Map<string, LineageEdge>();
  for (const node of first.nodes) nodes.set(node.id, node);
  for (const edge of first.edges) edges.set(keyOf(edge), edge);
  for (const { answer } of later) {
    for (const node of answer.nodes) nodes.set(node.id, joined(nodes.get(node.id), node));
    for (const edge of answer.edges) edges.set(keyOf(edge), wider(edges.get(keyOf(edge)), edge));
  }
  const into = new Map<Id, LineageEdge[]>();
  const outOf = new Map<Id, LineageEdge[]>();
  for (const edge of edges.values()) {
    push(into, edge.target, edge);
    push(outOf, edge.source, edge);
  }
  const answers = [first, ...later.map(({ answer }) => answer)];
  return {
    root: first.root,
    nodes,
    edges,
    into,
    outOf,
    cut: answers.some((answer) => answer.cut),
    notes: [...new Set(answers.flatMap((answer) => answer.coverage.notes))],
    operationsWithoutLineage: Math.max(...answers.map((answer) => answer.coverage.operationsWithoutLineage)),
  };
}

/**
 * How many neighbours are not shown is counted for each answer by itself. What is shown of all answers
 * is at least what each shows, so the least count is right.
 */
function joined(known: LineageNode | undefined, node: LineageNode): LineageNode {
  if (!known) return node;
  const upstream = joinedMore(moreOf(known, "upstream"), moreOf(node, "upstream"));
  const downstream = joinedMore(moreOf(known, "downstream"), moreOf(node, "downstream"));
  return {
    ...known,
    moreUpstream: upstream.count,
    moreUpstreamIsLeast: upstream.isLeast,
    moreDownstream: downstream.count,
    moreDownstreamIsLeast: downstream.isLeast,
    unlinkedInputs: Math.max(known.unlinkedInputs, node.unlinkedInputs),
    unlinkedOutputs: Math.max(known.unlinkedOutputs, node.unlinkedOutputs),
  };
}

function wider(known: LineageEdge | undefined, edge: LineageEdge): LineageEdge {
  return known && known.columns.length >= edge.columns.length ? known : edge;
}

function push(map: Map<Id, LineageEdge[]>, id: Id, edge: LineageEdge): void {
  const list = map.get(id);
  if (list) list.push(edge);
  else map.set(id, [edge]);
}

/** Assets, without statements. */
export function assets(graph: Graph): LineageNode[] {
  return [...graph.nodes.values()].filter((node) => !isOperation(node));
}
