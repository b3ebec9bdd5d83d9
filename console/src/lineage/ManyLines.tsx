import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import type { Line } from "./lines";

const KINDS = ["data", "control", "physical"] as const;

/** All lines of a kind as one shape, without arrows: a thousand shapes would not move smoothly. */
export const ManyLines = memo(({ lines }: { lines: readonly Line[] }) => {
  const paths = useMemo(
    () =>
      KINDS.map((kind) => {
        const ofKind = lines.filter((line) => line.kind === kind && !line.isLit);
        return { kind, path: ofKind.map((line) => line.path).join(" ") };
      }).filter(({ path }) => path !== ""),
    [lines],
  );
  return (
    <ViewportPortal>
      <svg className="many-lines" aria-hidden="true">
        {paths.map(({ kind, path }) => (
          <path key={kind} className={`line line-${kind}`} d={path} />
        ))}
      </svg>
    </ViewportPortal>
  );
});
