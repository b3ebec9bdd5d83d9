// Columns of the graph's tables, and the ways that values take through them.
import type { ColumnPair, Id, LineageNode, Thing } from "../api/answers";
import { splitColumn } from "../words/names";
import { type Graph, isOperation, keyOf } from "./graph";

export interface Column {
  qualifiedName: string;
  name: string;
  dataType: string | null;
  /** Whether a flow of the graph uses it. */
  isUsed: boolean;
}

/** One column into another, with the nodes it leads through. */
export interface ColumnFlow {
  source: string;
  target: string;
  sourceNode: Id;
  targetNode: Id;
  /** The statement between the two tables, if statements are shown. */
  through: Id | null;
  type: ColumnPair["type"];
  /** The edges of the graph on the way. */
  edges: readonly string[];
}

/** All flows between columns of the graph's nodes. */
export function columnFlows(graph: Graph): ColumnFlow[] {
  const byName = new Map<string, Id>();
  for (const node of graph.nodes.values()) {
    if (node.qualifiedName && !isOperation(node)) byName.set(node.qualifiedName, node.id);
  }
  const flows: ColumnFlow[] = [];
  for (const edge of graph.edges.values()) {
    const isThrough = isOperation(graph.nodes.get(edge.source));
    for (const { source, target, type } of edge.columns) {
      const sourceNode = isThrough ? byName.get(splitColumn(source).table) : edge.source;
      if (sourceNode === undefined) continue;
      const before = isThrough
        ? (graph.into.get(edge.source) ?? []).filter((earlier) => earlier.source === sourceNode).map(keyOf)
        : [];
      const edges = [...before, keyOf(edge)];
      const through = isThrough ? edge.source : null;
      flows.push({ source, target, sourceNode, targetNode: edge.target, through, type, edges });
    }
  }
  return flows;
}

export interface Lit {
  columns: ReadonlySet<string>;
  edges: ReadonlySet<string>;
  nodes: ReadonlySet<Id>;
  flows: readonly ColumnFlow[];
}

export const NOTHING_LIT: Lit = { columns: new Set(), edges: new Set(), nodes: new Set(), flows: [] };

/** The whole path of a column: everything it comes from and everything it goes to. */
export function pathOf(column: string, flows: readonly ColumnFlow[]): Lit {
  const from = groupedBy(flows, (flow) => flow.target);
  const to = groupedBy(flows, (flow) => flow.source);
  const columns = new Set([column]);
  const lit = new Set<ColumnFlow>();
  const follow = (next: Map<string, ColumnFlow[]>, other: (flow: ColumnFlow) => string) => {
    const seen = new Set([column]);
    const waiting = [column];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      for (const flow of next.get(name) ?? []) {
        lit.add(flow);
        const reached = other(flow);
        columns.add(reached);
        if (seen.has(reached)) continue;
        seen.add(reached);
        waiting.push(reached);
      }
    }
  };
  follow(from, (flow) => flow.source);
  follow(to, (flow) => flow.target);
  const edges = new Set<string>();
  const nodes = new Set<Id>();
  for (const flow of lit) {
    for (const edge of flow.edges) edges.add(edge);
    for (const node of [flow.sourceNode, flow.targetNode, flow.through]) if (node) nodes.add(node);
  }
  return { columns, edges, nodes, flows: [...lit] };
}

function groupedBy(flows: readonly ColumnFlow[], key: (flow: ColumnFlow) => string): Map<string, ColumnFlow[]> {
  const groups = new Map<string, ColumnFlow[]>();
  for (const flow of flows) {
    const name = key(flow);
    const group = groups.get(name);
    if (group) group.push(flow);
    else groups.set(name, [flow]);
  }
  return groups;
}

/** The columns of a node: those its source lists, then those that only statements know. */
export function columnsOf(node: LineageNode, listed: readonly Thing[], flows: readonly ColumnFlow[]): Column[] {
  const used = new Set<string>();
  for (const flow of flows) {
    if (flow.sourceNode === node.id) used.add(flow.source);
    if (flow.targetNode === node.id) used.add(flow.target);
  }
  const columns = new Map<string, Column>();
  for (const field of listed) {
    if (field.type !== "FIELD" || !field.qualifiedName) continue;
    const { qualifiedName, originalName, dataType } = field;
    const name = originalName ?? splitColumn(qualifiedName).column;
    columns.set(qualifiedName, { qualifiedName, name, dataType: dataType ?? null, isUsed: used.has(qualifiedName) });
  }
  for (const qualifiedName of used) {
    if (columns.has(qualifiedName)) continue;
    columns.set(qualifiedName, {
      qualifiedName,
      name: splitColumn(qualifiedName).column,
      dataType: null,
      isUsed: true,
    });
  }
  return [...columns.values()];
}

export const FILTER_FROM = 20;
export const MOST_ROWS = 16;

/** The rows that an open node shows of its columns; those that are used go first where not all fit. */
export function rowsShown(columns: readonly Column[], filter: string): { rows: Column[]; hidden: number } {
  const wanted = filter.trim().toLowerCase();
  const found = columns.filter((column) => column.name.toLowerCase().includes(wanted));
  if (found.length <= MOST_ROWS) return { rows: found, hidden: 0 };
  const used = found.filter((column) => column.isUsed);
  const rest = found.filter((column) => !column.isUsed);
  return { rows: [...used, ...rest].slice(0, MOST_ROWS), hidden: found.length - MOST_ROWS };
}
