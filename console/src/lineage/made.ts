// Small graphs for the tests.
import type { LineageAnswer, LineageEdge, LineageNode } from "../api/answers";

export function node(id: string, more: Partial<LineageNode> = {}): LineageNode {
  return {
    id,
    type: "TABLE",
    sourceType: "HIVE",
    cluster: "default",
    originalName: id,
    parentPath: "/db",
    qualifiedName: `db.${id}`,
    deleted: false,
    hidden: false,
    unlinked: false,
    distance: 0,
    moreUpstream: 0,
    moreUpstreamIsLeast: false,
    moreDownstream: 0,
    moreDownstreamIsLeast: false,
    unlinkedInputs: 0,
    unlinkedOutputs: 0,
    ...more,
  };
}

export function edge(source: string, target: string, more: Partial<LineageEdge> = {}): LineageEdge {
  return {
    source,
    target,
    type: "DATA_FLOW",
    mark: "observed",
    via: [],
    hides: [],
    columns: [],
    firstSeen: null,
    lastSeen: null,
    formerIncarnation: false,
    ...more,
  };
}

export function answer(nodes: LineageNode[], edges: LineageEdge[], more: Partial<LineageAnswer> = {}): LineageAnswer {
  return {
    root: nodes[0]?.id ?? "",
    direction: "both",
    depth: 2,
    limit: 100,
    nodes,
    edges,
    cut: false,
    coverage: { operationsWithoutLineage: 0, notes: [] },
    namespaceStates: [],
    ...more,
  };
}
