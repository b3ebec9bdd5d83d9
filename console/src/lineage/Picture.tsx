import { Background, BackgroundVariant, MiniMap, ReactFlow, useReactFlow } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Id } from "../api/answers";
import { AssetNode, type AssetNodeType } from "./AssetNode";
import type { Box, OpenColumns } from "./boxes";
import type { ColumnFlow, Lit } from "./columns";
import { useStage } from "./context";
import { Arrows, FlowLine, type FlowLineType } from "./FlowLine";
import { type Graph, isOperation } from "./graph";
import type { Places, Ways } from "./layout";
import { linesOf } from "./lines";
import { ManyLines } from "./ManyLines";
import { OperationNode, type OperationNodeType } from "./OperationNode";
import { beginning, lookedAt, type Sight, sightOf } from "./sight";
import "@xyflow/react/dist/base.css";
import "./picture.css";
import "./nodes.css";

const NODE_TYPES = { asset: AssetNode, operation: OperationNode };
const EDGE_TYPES = { flow: FlowLine };
const LEAST_ZOOM = 0.04;
const MOST_ZOOM = 2;
const MINIMAP_FROM = 12;
/** With more lines than this, they are drawn together, which moves smoothly; the list tells them apart. */
const MOST_SINGLE_LINES = 600;

interface Props {
  graph: Graph;
  places: Places;
  ways: Ways;
  /** What the places were laid out for. */
  arrangement: string;
  boxes: ReadonlyMap<Id, Box>;
  open: OpenColumns;
  flows: readonly ColumnFlow[];
  lit: Lit;
  lookingAt: string | null;
  onLook: (place: string) => void;
  onClear: () => void;
}

/** The graph, drawn. Only what is on the screen is in the page. */
export function Picture({
  graph,
  places,
  ways,
  arrangement,
  boxes,
  open,
  flows,
  lit,
  lookingAt,
  onLook,
  onClear,
}: Props) {
  const flow = useReactFlow();
  const { select } = useStage();
  const stage = useRef<HTMLDivElement>(null);
  const root = places.get(graph.root);
  const rootRef = useRef(root);
  rootRef.current = root;

  const nodes = useMemo(() => {
    const made: (AssetNodeType | OperationNodeType)[] = [];
    for (const node of graph.nodes.values()) {
      const [box, position] = [boxes.get(node.id), places.get(node.id)];
      if (!box || !position) continue;
      const { width, outerHeight: height, middle } = box;
      const opened = open.get(node.id);
      const handle = { width: 1, height: 1, y: middle };
      made.push({
        id: node.id,
        type: isOperation(node) ? "operation" : "asset",
        position,
        width,
        height,
        measured: { width, height },
        handles: [
          { type: "target", position: "left", x: 0, ...handle },
          { type: "source", position: "right", x: width, ...handle },
        ] as AssetNodeType["handles"] & object,
        data: { node, box, columns: opened?.columns ?? null, filter: opened?.filter ?? "" },
      } as AssetNodeType | OperationNodeType);
    }
    return made;
  }, [graph, places, boxes, open]);

  const lines = useMemo(
    () => linesOf(graph, places, ways, boxes, flows, lit),
    [graph, places, ways, boxes, flows, lit],
  );
  const areMany = lines.length > MOST_SINGLE_LINES;
  const edges = useMemo(() => {
    const single = areMany ? lines.filter((line) => line.isLit) : lines;
    return single.map(
      (line): FlowLineType => ({
        id: line.key,
        type: "flow",
        source: line.source,
        target: line.target,
        zIndex: line.isLit ? 2 : 0,
        data: { line },
      }),
    );
  }, [lines, areMany]);

  // What is seen at first: what the address says, or all of it, or the root if all would be too small
  // to read. Another question is seen as a whole again unless the reader looked around.
  const sight = (): Sight => {
    const size = sizeOf(stage.current);
    return (root && lookedAt(lookingAt, root, size)) ?? beginning(graph.root, places, boxes, size);
  };
  const [first] = useState(sight);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looking around and what is added move nothing
  useEffect(() => {
    flow.setViewport(sight());
  }, [arrangement]);

  return (
    <div className="picture" ref={stage}>
      <Arrows />
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        defaultViewport={first}
        minZoom={LEAST_ZOOM}
        maxZoom={MOST_ZOOM}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode={null}
        panActivationKeyCode={null}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, node) => select(node.id)}
        onPaneClick={onClear}
        onMoveStart={() => stage.current?.classList.add("picture-moving")}
        onMoveEnd={(event, viewport) => {
          stage.current?.classList.remove("picture-moving");
          const at = rootRef.current;
          if (event && at) onLook(sightOf(viewport, at, sizeOf(stage.current)));
        }}
      >
        {areMany && <ManyLines lines={lines} />}
        <Background variant={BackgroundVariant.Dots} gap={22} size={1} />
        {graph.nodes.size >= MINIMAP_FROM && (
          <MiniMap
            pannable
            zoomable
            ariaLabel="Overview of the whole graph"
            nodeClassName={(node) => `map-${node.type} ${node.id === graph.root ? "map-root" : ""}`}
          />
        )}
      </ReactFlow>
    </div>
  );
}

function sizeOf(element: HTMLElement | null): { width: number; height: number } {
  return { width: element?.clientWidth || innerWidth, height: element?.clientHeight || innerHeight - 200 };
}
