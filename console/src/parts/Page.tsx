import { type ReactNode, useEffect } from "react";
import "./page.css";

/** An ordinary page: what it is, what one needs to know first, and its sections. */
export function Page({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="page">
      <h1>{title}</h1>
      {lead && <p className="page-lead">{lead}</p>}
      {children}
    </div>
  );
}

export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Names the browser's tab after the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sextant`;
  }, [title]);
}
