import { useEffect, useState } from "react";
import { CheckIcon, CopyIcon } from "./icons";

const SAID_FOR_MS = 1500;

/** Copies the old way: without a secure address a page has no clipboard. */
function copiedBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  const before = document.activeElement;
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** Copies a text and says so. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState<"copied" | "not copied" | null>(null);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    writing.then(
      () => setSaid("copied"),
      () => setSaid(copiedBySelection(text) ? "copied" : "not copied"),
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
