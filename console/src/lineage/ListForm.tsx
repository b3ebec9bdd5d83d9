import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { LineageEdge } from "../api/answers";
import { NameLink } from "../parts/Name";
import { counted } from "../words/numbers";
import { exactly } from "../words/when";
import { useStage } from "./context";
import { type Graph, isOperation, keyOf } from "./graph";
import { kindOfEdge } from "./say";
import "./list.css";

const ROW_PX = 46;

/** The same graph as a list: one row for each edge and mark. */
export default function ListForm({ graph }: { graph: Graph }) {
  const stage = useStage();
  const [filter, setFilter] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => filtered(graph, filter), [graph, filter]);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  return (
    <div className="list-form">
      <p className="list-head">
        <input
          type="search"
          className="field"
          aria-label="Filter the edges"
          placeholder="filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span role="status">{counted(shown.length, "edge")}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and scrolls by keys */}
      <div className="list-scroller" ref={scroller} tabIndex={0} role="region" aria-label="Edges">
        <div role="table" aria-label="Edges of the lineage" aria-rowcount={shown.length + 1} className="list">
          <div role="rowgroup">
            <div role="row" className="list-row list-row-head" aria-rowindex={1}>
              {["From", "To", "What", "How it is known", "First seen", "Last seen"].map((word) => (
                <span role="columnheader" key={word}>
                  {word}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="list-rows" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((row) => {
              const edge = shown[row.index];
              if (!edge) return null;
              return (
                <div
                  key={keyOf(edge)}
                  role="row"
                  aria-rowindex={row.index + 2}
                  className="list-row"
                  ref={rows.measureElement}
                  data-index={row.index}
                  data-edge={keyOf(edge)}
                  style={{ translate: `0 ${row.start}px` }}
                >
                  <Cells edge={edge} graph={graph} onSelect={() => stage.select(keyOf(edge))} />
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

function Cells({ edge, graph, onSelect }: { edge: LineageEdge; graph: Graph; onSelect: () => void }) {
  const [source, target] = [graph.nodes.get(edge.source), graph.nodes.get(edge.target)];
  return (
    <>
      <span role="cell" className={isOperation(source) ? "code" : ""}>
        {source && <NameLink thing={source} tab="lineage" longest={60} />}
      </span>
      <span role="cell" className={isOperation(target) ? "code" : ""}>
        {target && <NameLink thing={target} tab="lineage" longest={60} />}
      </span>
      <span role="cell">{kindOfEdge(edge)}</span>
      <span role="cell">
        <button type="button" className="link-button" onClick={onSelect}>
          {edge.mark}
        </button>
        {edge.formerIncarnation && <small> former incarnation</small>}
        {edge.via.length > 0 && <small> through {counted(edge.via.length, "statement")}</small>}
        {edge.hides.length > 0 && <small> folded: {edge.hides.map((hidden) => hidden.qualifiedName).join(", ")}</small>}
      </span>
      <span role="cell" className="small">
        {edge.firstSeen ? exactly(edge.firstSeen) : ""}
      </span>
      <span role="cell" className="small">
        {edge.lastSeen ? exactly(edge.lastSeen) : ""}
      </span>
    </>
  );
}

function filtered(graph: Graph, filter: string): LineageEdge[] {
  const wanted = filter.trim().toLowerCase();
  const name = (id: string) => {
    const node = graph.nodes.get(id);
    return (node?.qualifiedName ?? node?.queryText ?? "").toLowerCase();
  };
  return [...graph.edges.values()].filter(
    (edge) => name(edge.source).includes(wanted) || name(edge.target).includes(wanted),
  );
}
