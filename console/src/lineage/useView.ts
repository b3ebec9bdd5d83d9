import { useCallback, useMemo, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { NO_STEPS, redone, stepped, undone } from "./steps";
import { fromAddress, kept, toAddress, type View } from "./view";

export interface ViewControl {
  view: View;
  change: (part: Partial<View>) => void;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
  /** Where the reader looks, as the address says: the middle of the screen from the root, and the zoom. */
  lookingAt: string | null;
  lookAt: (place: string) => void;
}

/** The view, kept in the address, with the steps that led to it. */
export function useView(): ViewControl {
  const [address, setAddress] = useSearchParams();
  const [steps, setSteps] = useState(NO_STEPS);
  // Where one looks is in the address, too, and is no other view: what is made of it stays.
  const before = useRef<View | null>(null);
  const view = useMemo(() => {
    before.current = kept(before.current, fromAddress(address));
    return before.current;
  }, [address]);
  const lookingAt = address.get("at");
  // Two changes of one moment both count: the second is made to what the first left.
  const latest = useRef(view);
  latest.current = view;

  const write = useCallback(
    (next: View) => {
      latest.current = next;
      setAddress(
        (before) => {
          const search = toAddress(next);
          const at = before.get("at");
          if (at) search.set("at", at);
          return search;
        },
        { replace: true },
      );
    },
    [setAddress],
  );
  const change = useCallback(
    (part: Partial<View>) => {
      const before = latest.current;
      const next = { ...before, ...part };
      setSteps((steps) => stepped(steps, before, next));
      write(next);
    },
    [write],
  );
  const lookAt = useCallback(
    (place: string) =>
      setAddress(
        (before) => {
          const search = new URLSearchParams(before);
          search.set("at", place);
          return search;
        },
        { replace: true },
      ),
    [setAddress],
  );
  const go = (to: ReturnType<typeof undone>) => {
    if (!to) return;
    setSteps(to.steps);
    write(to.view);
  };
  return {
    view,
    change,
    undo: () => go(undone(steps, view)),
    redo: () => go(redone(steps, view)),
    canUndo: steps.past.length > 0,
    canRedo: steps.future.length > 0,
    lookingAt,
    lookAt,
  };
}
