import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import type { LineageNode } from "../api/answers";
import { KindMark } from "../parts/KindMark";
import { Name } from "../parts/Name";
import { markOf } from "../words/kinds";
import type { Box } from "./boxes";
import { linesOf } from "./boxes";
import { type Column, FILTER_FROM, rowsShown } from "./columns";
import { useStage } from "./context";
import { useIsFar } from "./far";
import { MoreButtons } from "./MoreButtons";
import { titleOf } from "./say";

export interface NodeData extends Record<string, unknown> {
  node: LineageNode;
  box: Box;
  columns: readonly Column[] | null;
  filter: string;
}
export type AssetNodeType = Node<NodeData, "asset">;

/** A table, view, path or name. Its buttons are for the pointer; keys do the same from the graph itself. */
export const AssetNode = memo(({ data: { node, box, columns, filter } }: NodeProps<AssetNodeType>) => {
  const stage = useStage();
  const isFar = useIsFar();
  const mark = markOf(node);
  const canOpen = mark === "table" || mark === "view" || mark === "name";
  const classes = ["node", `node-${mark}`];
  if (node.deleted) classes.push("node-deleted");
  if (node.unlinked) classes.push("node-ghost");
  if (node.id === stage.root) classes.push("node-root");
  if (node.id === stage.selected) classes.push("node-selected");
  if (node.id === stage.focused) classes.push("node-focused");
  if (stage.found.has(node.id)) classes.push("node-found");
  if (stage.lit.nodes.size > 0) classes.push(stage.lit.nodes.has(node.id) ? "node-lit" : "node-dim");
  if (isFar) {
    return (
      <>
        <Handle type="target" position={Position.Left} isConnectable={false} />
        <Handle type="source" position={Position.Right} isConnectable={false} />
        <div className={classes.join(" ")} style={{ height: box.height }}>
          <div className="node-far unseen">{titleOf(node)}</div>
        </div>
      </>
    );
  }
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      <div className={classes.join(" ")} style={{ height: box.height }} data-name={node.qualifiedName}>
        <div className="node-head">
          <KindMark mark={mark} ghost={node.unlinked} />
          <Name thing={node} longest={27} />
          {canOpen && (
            <button
              type="button"
              tabIndex={-1}
              className="node-open"
              aria-label={columns ? "close columns" : "open columns"}
              aria-expanded={columns !== null}
              onClick={(event) => {
                event.stopPropagation();
                stage.toggleColumns(node.id);
              }}
            >
              {columns ? "−" : "+"}
            </button>
          )}
        </div>
        {linesOf(node).map((line) => (
          <div key={line} className="node-line">
            {line}
          </div>
        ))}
        {columns && <Columns node={node} columns={columns} filter={filter} />}
      </div>
      <MoreButtons node={node} />
    </>
  );
});

function Columns({ node, columns, filter }: { node: LineageNode; columns: readonly Column[]; filter: string }) {
  const stage = useStage();
  const { rows, hidden } = rowsShown(columns, filter);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps clicks from the node below
    // biome-ignore lint/a11y/useKeyWithClickEvents: the side pane lists the columns for keys
    <div className="node-columns nodrag nopan" onClick={(event) => event.stopPropagation()}>
      {columns.length >= FILTER_FROM && (
        <input
          type="search"
          tabIndex={-1}
          className="node-filter"
          aria-label="Filter the columns"
          placeholder={`filter ${columns.length} columns`}
          value={filter}
          onChange={(event) => stage.filter(node.id, event.target.value)}
        />
      )}
      {rows.map((column) => {
        const isLit = stage.lit.columns.has(column.qualifiedName);
        return (
          <button
            key={column.qualifiedName}
            type="button"
            tabIndex={-1}
            className={`node-column${isLit ? " node-column-lit" : ""}${column.isUsed ? "" : " node-column-idle"}`}
            aria-pressed={stage.pinned === column.qualifiedName}
            onPointerEnter={() => stage.hover(column.qualifiedName)}
            onPointerLeave={() => stage.hover(null)}
            onClick={() => stage.pin(column.qualifiedName)}
          >
            <bdi>{column.name}</bdi>
            <span className="code">{column.dataType}</span>
          </button>
        );
      })}
      {hidden > 0 && <div className="node-rest">{hidden} more: filter them</div>}
      {rows.length === 0 && (
        <div className="node-rest">{columns.length === 0 ? "no column is known" : "none matches"}</div>
      )}
    </div>
  );
}
