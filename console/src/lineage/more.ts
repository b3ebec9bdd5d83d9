import type { LineageNode } from "../api/answers";
import { grouped } from "../words/numbers";
import type { Side } from "./view";

/** How many neighbours of a node are not shown on a side, and whether that is only what was looked at. */
export interface More {
  count: number;
  isLeast: boolean;
}

export function moreOf(node: LineageNode, side: Side): More {
  return side === "upstream"
    ? { count: node.moreUpstream, isLeast: node.moreUpstreamIsLeast }
    : { count: node.moreDownstream, isLeast: node.moreDownstreamIsLeast };
}

/** "12 more", "at least 12 more", "perhaps more"; nothing where all is shown. */
export function sayMore({ count, isLeast }: More): string | null {
  if (count === 0) return isLeast ? "perhaps more" : null;
  return `${isLeast ? "at least " : ""}${grouped(count)} more`;
}

/** Whether a node has anything on either side that is not shown. */
export function hasMore(node: LineageNode): boolean {
  return sayMore(moreOf(node, "upstream")) !== null || sayMore(moreOf(node, "downstream")) !== null;
}

/** What is known of one side from two answers: what was counted through counts before what was not. */
export function joinedMore(one: More, other: More): More {
  if (one.isLeast !== other.isLeast) return one.isLeast ? other : one;
  return one.count <= other.count ? one : other;
}
