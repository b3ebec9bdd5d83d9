import type { Edge, EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { useStage } from "./context";
import { useIsFar } from "./far";
import type { Line } from "./lines";
import { sayEdge } from "./say";

export type FlowLineType = Edge<{ line: Line }, "flow">;

/** One line of the picture. Kinds differ by their strokes, and the pane says them in words. */
export const FlowLine = memo(({ data }: EdgeProps<FlowLineType>) => {
  const stage = useStage();
  const isFar = useIsFar();
  if (!data) return null;
  const { line } = data;
  const classes = ["line", `line-${line.kind}`];
  const isSelected = stage.selected === line.key;
  const touches = stage.selected !== null && (line.source === stage.selected || line.target === stage.selected);
  if (line.isFormer) classes.push("line-former");
  if (line.isLit || isSelected) classes.push("line-lit");
  else if (touches && stage.lit.nodes.size === 0) classes.push("line-near");
  else if (stage.lit.nodes.size > 0) classes.push("line-dim");
  const arrow =
    isFar || line.kind === "physical" || line.kind === "thread" ? undefined : `url(#arrow-${arrowOf(classes)})`;
  return (
    <>
      {line.kind === "physical" && <path d={line.path} className="line line-physical-outer" />}
      <path d={line.path} className={classes.join(" ")} markerEnd={arrow} />
      {line.edge && !isFar && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the list form is the way for keys
        <path d={line.path} className="line-touch" onClick={() => stage.select(line.key)}>
          <title>{sayEdge(line.edge)}</title>
        </path>
      )}
    </>
  );
});

function arrowOf(classes: readonly string[]): string {
  if (classes.includes("line-lit") || classes.includes("line-near")) return "lit";
  return classes.includes("line-control") || classes.includes("line-dim") ? "quiet" : "plain";
}

/** The heads of the arrows, once for the whole picture. */
export function Arrows() {
  return (
    <svg className="arrows" aria-hidden="true">
      <defs>
        {["plain", "quiet", "lit"].map((tone) => (
          <marker
            key={tone}
            id={`arrow-${tone}`}
            className={`arrow-${tone}`}
            viewBox="0 0 8 8"
            refX="7.5"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.6 8 4 0 7.4Z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
