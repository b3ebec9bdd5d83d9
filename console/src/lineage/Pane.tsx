import type { ReactNode } from "react";
import type { Id } from "../api/answers";
import { CloseIcon } from "../parts/icons";
import { AssetPane } from "./AssetPane";
import type { OpenColumns } from "./boxes";
import type { ColumnFlow } from "./columns";
import { useStage } from "./context";
import { EdgePane } from "./EdgePane";
import { type Graph, isOperation } from "./graph";
import { OperationPane } from "./OperationPane";
import "./pane.css";

interface Props {
  graph: Graph;
  selected: Id | string;
  open: OpenColumns;
  flows: readonly ColumnFlow[];
}

/** What is known of the selected node or edge, beside the picture. */
export function Pane({ graph, selected, open, flows }: Props) {
  const node = graph.nodes.get(selected);
  const edge = graph.edges.get(selected);
  if (node && isOperation(node)) {
    return (
      <Frame>
        <OperationPane key={node.id} node={node} />
      </Frame>
    );
  }
  if (node) {
    return (
      <Frame>
        <AssetPane key={node.id} node={node} graph={graph} columns={open.get(node.id)?.columns ?? null} flows={flows} />
      </Frame>
    );
  }
  if (edge) {
    return (
      <Frame>
        <EdgePane edge={edge} graph={graph} />
      </Frame>
    );
  }
  return null;
}

function Frame({ children }: { children: ReactNode }) {
  const stage = useStage();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and scrolls by keys
    <aside className="pane" aria-label="What is selected" tabIndex={0}>
      <button type="button" className="icon-button pane-close" aria-label="close" onClick={() => stage.select(null)}>
        <CloseIcon />
      </button>
      {children}
    </aside>
  );
}
