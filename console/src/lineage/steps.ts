// Undo and redo of what a reader did to the view. Selecting is looking, not a step.
import type { View } from "./view";

export interface Steps {
  past: readonly View[];
  future: readonly View[];
}

export const NO_STEPS: Steps = { past: [], future: [] };
const MOST_KEPT = 100;

/** The steps after the view changed. */
export function stepped(steps: Steps, before: View, after: View): Steps {
  if (isSameStep(before, after)) return steps;
  return { past: [...steps.past.slice(1 - MOST_KEPT), before], future: [] };
}

/** One step back; what is selected now stays selected. */
export function undone(steps: Steps, now: View): { steps: Steps; view: View } | null {
  const view = steps.past.at(-1);
  if (!view) return null;
  return {
    steps: { past: steps.past.slice(0, -1), future: [now, ...steps.future] },
    view: { ...view, selected: now.selected },
  };
}

/** One step forward again. */
export function redone(steps: Steps, now: View): { steps: Steps; view: View } | null {
  const [view, ...future] = steps.future;
  if (!view) return null;
  return { steps: { past: [...steps.past, now], future }, view: { ...view, selected: now.selected } };
}

function isSameStep(before: View, after: View): boolean {
  const bare = (view: View) => JSON.stringify({ ...view, selected: null });
  return bare(before) === bare(after);
}
