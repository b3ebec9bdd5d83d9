import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { KindMark } from "../parts/KindMark";
import { counted } from "../words/numbers";
import type { NodeData } from "./AssetNode";
import { linesOf } from "./boxes";
import { useStage } from "./context";
import { useIsFar } from "./far";
import { MoreButtons } from "./MoreButtons";
import { titleOf } from "./say";

export type OperationNodeType = Node<NodeData, "operation">;

/** A statement between what it reads and what it writes. */
export const OperationNode = memo(({ data: { node, box } }: NodeProps<OperationNodeType>) => {
  const stage = useStage();
  const isFar = useIsFar();
  const classes = ["node", "node-operation"];
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
      <div className={classes.join(" ")} style={{ height: box.height }} title={node.queryText?.slice(0, 400)}>
        <div className="node-head code">
          <KindMark mark="operation" />
          <span className="node-verb">{titleOf(node)}</span>
          <span className="node-runs">{counted(node.executions ?? 0, "run")}</span>
        </div>
        {linesOf(node).map((line) => (
          <div key={line} className="node-line">
            {line}
          </div>
        ))}
      </div>
      <MoreButtons node={node} />
    </>
  );
});
