// Made-up answers: chains, fans, dense pipelines, wide tables.

const id = (place) => place.toString(16).padStart(32, "0");

function node(place, more = {}) {
  return {
    id: id(place),
    type: "TABLE",
    sourceType: "HIVE",
    cluster: "default",
    originalName: `table_${place}`,
    parentPath: "/mart",
    qualifiedName: `mart.table_${place}`,
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

const edge = (source, target, columns = []) => ({
  source: id(source),
  target: id(target),
  type: "DATA_FLOW",
  mark: "observed",
  via: [],
  hides: [],
  columns,
  firstSeen: "2026-11-30T10:00:00Z",
  lastSeen: "2026-11-30T10:00:00Z",
  formerIncarnation: false,
});

function made(nodes, edges, more = {}) {
  const lineage = {
    root: nodes[0].id,
    direction: "both",
    depth: 10,
    limit: 10_000,
    nodes,
    edges,
    cut: false,
    coverage: { operationsWithoutLineage: 0, notes: [] },
    namespaceStates: [],
  };
  return {
    answer: { lineage, root: { ...nodes[0], usedBy: [], usedByTotal: 0 }, ...more },
    address: `/entity/${nodes[0].id}/lineage${more.open ? `?open=${more.open}` : ""}`,
  };
}

/** Layers of tables, each read from three of the layer before. */
function pipeline(layers, wide) {
  const nodes = Array.from({ length: layers * wide }, (_, place) => node(place));
  const edges = [];
  for (let place = wide; place < nodes.length; place += 1) {
    const layer = Math.floor(place / wide);
    for (let input = 0; input < 3; input += 1)
      edges.push(edge((layer - 1) * wide + ((place * 7 + input * 13) % wide), place));
  }
  return made(nodes, edges);
}

function fan(wide) {
  const nodes = Array.from({ length: wide + 1 }, (_, place) => node(place));
  return made(
    nodes,
    nodes.slice(1).map((_, place) => edge(0, place + 1)),
  );
}

function chain(long) {
  const nodes = Array.from({ length: long }, (_, place) => node(place));
  return made(
    nodes,
    nodes.slice(1).map((_, place) => edge(place, place + 1)),
  );
}

/** Two tables, every column of one into the same of the other; both open. */
function wideTable(columns) {
  const name = (table, place) => `mart.table_${table}.column_${place}`;
  const pairs = Array.from({ length: columns }, (_, place) => ({
    source: name(0, place),
    target: name(1, place),
    type: "DATA_FLOW",
    expression: null,
  }));
  const fields = Array.from({ length: columns }, (_, place) => ({
    ...node(1000 + place),
    type: "FIELD",
    originalName: `column_${place}`,
    qualifiedName: name(0, place),
    dataType: "string",
  }));
  return made([node(0), node(1)], [edge(0, 1, pairs)], { columns: fields, open: `${id(0)},${id(1)}` });
}

export const SHAPES = [
  { name: "dense pipeline, 100", make: () => pipeline(10, 10) },
  { name: "dense pipeline, 1,000", make: () => pipeline(20, 50) },
  { name: "dense pipeline, 5,000", make: () => pipeline(50, 100) },
  { name: "chain, 100", make: () => chain(100) },
  { name: "chain, 1,000", make: () => chain(1_000) },
  { name: "fan of 3,000", make: () => fan(3_000) },
  { name: "two tables of 2,000 columns, open", make: () => wideTable(2_000) },
];
