import { ReactFlowProvider } from "@xyflow/react";
import type { WholeThing } from "../api/answers";
import { Explorer } from "./Explorer";
import "./lineage.css";
import "./lines.css";

/** Where a thing comes from and goes to. */
export default function Lineage({ root }: { root: WholeThing }) {
  return (
    <ReactFlowProvider>
      <Explorer root={root} />
    </ReactFlowProvider>
  );
}
