import type { MouseEvent } from "react";
import type { LineageNode } from "../api/answers";
import { grouped } from "../words/numbers";
import { useStage } from "./context";
import type { Side } from "./view";

/** On each side, how many neighbours are not shown; pressed, they are. */
export function MoreButtons({ node }: { node: LineageNode }) {
  const stage = useStage();
  if (node.moreUpstream + node.moreDownstream === 0) return null;
  const show = (side: Side) => (event: MouseEvent) => {
    event.stopPropagation();
    stage.more(node.id, side);
  };
  return (
    <div className="node-more">
      {node.moreUpstream > 0 && (
        <button type="button" tabIndex={-1} className="more more-up" onClick={show("upstream")}>
          ← {grouped(node.moreUpstream)} more<span className="unseen"> upstream</span>
        </button>
      )}
      {node.moreDownstream > 0 && (
        <button type="button" tabIndex={-1} className="more more-down" onClick={show("downstream")}>
          {grouped(node.moreDownstream)} more<span className="unseen"> downstream</span> →
        </button>
      )}
    </div>
  );
}
