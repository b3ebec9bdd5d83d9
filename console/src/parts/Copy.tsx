import { useEffect, useState } from "react";
import { CheckIcon, CopyIcon } from "./icons";

const SAID_FOR_MS = 1500;

/** Copies a text and says so. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState<"copied" | "not copied" | null>(null);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    // Without a secure address there is no clipboard; the text can still be marked by hand.
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    writing.then(
      () => setSaid("copied"),
      () => setSaid("not copied"),
    );
  };
  return (
    <button type="button" className="icon-button copy" onClick={copy} title={said ?? `copy ${what}`}>
      {said === "copied" ? <CheckIcon /> : <CopyIcon />}
      <span className="unseen" aria-live="polite">
        {said ?? `copy ${what}`}
      </span>
    </button>
  );
}
