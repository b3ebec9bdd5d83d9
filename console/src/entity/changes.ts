// What runs found changed of an entity, as the API tells it.
import type { components } from "../api/schema.gen";

export type Change = components["schemas"]["EntityChangeAnswer"];
export type Difference = components["schemas"]["DifferenceAnswer"];
/** What is kept of an entity's changes. */
export type KeptChanges = Pick<components["schemas"]["HistoryAnswer"], "changes" | "changesForgotten">;

/** A sentence holds so many characters of a value. */
const WHOLE_IN_WORDS = 120;

/** Whether the sentence does not hold all that is kept of both values. */
export function saysLess({ before, after, cut }: Difference): boolean {
  const isLong = (value: string | null) => value !== null && (value.length > WHOLE_IN_WORDS || /\n/.test(value));
  return cut || isLong(before) || isLong(after);
}
