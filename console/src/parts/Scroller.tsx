import type { ReactNode } from "react";

/** What may be wider than the screen scrolls by itself, by keys too; the page does not. */
export function Scroller({ what, children }: { what: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, keys could not scroll it
    <section className="scroller" aria-label={what} tabIndex={0}>
      {children}
    </section>
  );
}
