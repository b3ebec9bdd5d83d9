import type { MouseEvent } from "react";
import type { LineageNode } from "../api/answers";
import { useStage } from "./context";
import { moreOf, sayMore } from "./more";
import type { Side } from "./view";

/** On each side, how many neighbours are not shown; pressed, they are. */
export function MoreButtons({ node }: { node: LineageNode }) {
  const stage = useStage();
  const upstream = sayMore(moreOf(node, "upstream"));
  const downstream = sayMore(moreOf(node, "downstream"));
  if (!upstream && !downstream) return null;
  const show = (side: Side) => (event: MouseEvent) => {
    event.stopPropagation();
    stage.more(node.id, side);
  };
  return (
    <div className="node-more">
      {upstream && (
        <button type="button" tabIndex={-1} className="more more-up" onClick={show("upstream")}>
          ← {upstream}
          <span className="unseen"> upstream</span>
        </button>
      )}
      {downstream && (
        <button type="button" tabIndex={-1} className="more more-down" onClick={show("downstream")}>
          {downstream}
          <span className="unseen"> downstream</span> →
        </button>
      )}
    </div>
  );
}
