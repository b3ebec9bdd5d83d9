import { Link } from "wouter";
import type { LineageNode } from "../api/answers";
import { hrefOf, Name } from "../parts/Name";
import { kindOf, stateOf } from "../words/kinds";
import { visible } from "../words/names";
import { exactly } from "../words/when";
import type { Column, ColumnFlow } from "./columns";
import { useStage } from "./context";
import type { Graph } from "./graph";
import { moreOf, sayMore } from "./more";

interface Props {
  node: LineageNode;
  graph: Graph;
  columns: readonly Column[] | null;
  flows: readonly ColumnFlow[];
}

/** A table, view, path or name: what it is, its columns, and where to go from here. */
export function AssetPane({ node, graph, columns, flows }: Props) {
  const stage = useStage();
  const upstream = sayMore(moreOf(node, "upstream"));
  const downstream = sayMore(moreOf(node, "downstream"));
  const canOpen = node.type === "TABLE" || node.type === "VIEW" || node.unlinked;
  return (
    <>
      <h2>
        <Name thing={node} longest={80} />
      </h2>
      <p className="quiet small">{node.unlinked ? stateOf(node) : kindOf(node)}</p>
      <dl className="pairs">
        {node.owner && (
          <>
            <dt>owner</dt>
            <dd>{visible(node.owner)}</dd>
          </>
        )}
        {node.deleted && (
          <>
            <dt>deleted</dt>
            <dd>found to be gone {exactly(node.deleteTime)}</dd>
          </>
        )}
        {node.created && (
          <>
            <dt>created</dt>
            <dd>{exactly(node.created)}</dd>
          </>
        )}
        {node.fileSystemPath && (
          <>
            <dt>lies at</dt>
            <dd className="code">{visible(node.fileSystemPath)}</dd>
          </>
        )}
        <dt>upstream</dt>
        <dd>
          {(graph.into.get(node.id) ?? []).length} shown
          {upstream && (
            <>
              ,{" "}
              <button type="button" className="link-button" onClick={() => stage.more(node.id, "upstream")}>
                {upstream}
              </button>
            </>
          )}
        </dd>
        <dt>downstream</dt>
        <dd>
          {(graph.outOf.get(node.id) ?? []).length} shown
          {downstream && (
            <>
              ,{" "}
              <button type="button" className="link-button" onClick={() => stage.more(node.id, "downstream")}>
                {downstream}
              </button>
            </>
          )}
        </dd>
      </dl>
      <p className="pane-links">
        <Link className="button" href={hrefOf(node.id)}>
          Its page
        </Link>
        {node.id !== graph.root && (
          <Link className="button" href={hrefOf(node.id, "lineage")}>
            Lineage from here
          </Link>
        )}
        {canOpen && (
          <button
            type="button"
            className="button"
            aria-expanded={columns !== null}
            onClick={() => stage.toggleColumns(node.id)}
          >
            {columns ? "Close columns" : "Open columns"}
          </button>
        )}
      </p>
      {columns && (
        <>
          <h3>Columns</h3>
          <ul className="pane-columns">
            {columns.map((column) => (
              <li key={column.qualifiedName}>
                <button
                  type="button"
                  aria-pressed={stage.pinned === column.qualifiedName}
                  onClick={() => stage.pin(column.qualifiedName)}
                >
                  <bdi>{visible(column.name)}</bdi> <code>{column.dataType}</code>
                  <small>{fromWhere(column, flows)}</small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function fromWhere(column: Column, flows: readonly ColumnFlow[]): string {
  const sources = new Set(flows.filter((flow) => flow.target === column.qualifiedName).map((flow) => flow.source));
  const targets = new Set(flows.filter((flow) => flow.source === column.qualifiedName).map((flow) => flow.target));
  const said = [];
  if (sources.size > 0)
    said.push(`from ${[...sources].slice(0, 4).map(visible).join(", ")}${sources.size > 4 ? ", …" : ""}`);
  if (targets.size > 0)
    said.push(`to ${[...targets].slice(0, 4).map(visible).join(", ")}${targets.size > 4 ? ", …" : ""}`);
  return said.join("; ") || "no flow is shown";
}
