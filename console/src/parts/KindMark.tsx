import type { Mark } from "../words/kinds";
import "./kind-mark.css";

/** The sign of a kind of thing. A word says the same beside it, so it is not read aloud. */
export function KindMark({ mark, ghost = false }: { mark: Mark; ghost?: boolean }) {
  return <i aria-hidden="true" className={`kind kind-${mark}${ghost ? " kind-ghost" : ""}`} />;
}
