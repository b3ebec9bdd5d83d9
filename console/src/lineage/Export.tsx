import { lazy, Suspense, useState } from "react";
import type { Props } from "./ExportMenu";

const ExportMenu = lazy(() => import("./ExportMenu"));

/** The menu of files; it is loaded when it is first asked for. */
export function Export(props: Props) {
  const [isWanted, want] = useState(false);
  const button = (
    <button
      type="button"
      className="button"
      aria-haspopup="menu"
      disabled={!props.loaded.graph}
      onClick={() => want(true)}
    >
      Export
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <ExportMenu {...props} />
    </Suspense>
  );
}
