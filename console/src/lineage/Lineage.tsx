import { ReactFlowProvider } from "@xyflow/react";
import { useEffect } from "react";
import type { WholeThing } from "../api/answers";
import { Explorer } from "./Explorer";
import { warmUp } from "./engine";
import "./lineage.css";

/** Where a thing comes from and goes to. */
export default function Lineage({ root }: { root: WholeThing }) {
  useEffect(warmUp, []);
  return (
    <ReactFlowProvider>
      <Explorer root={root} />
    </ReactFlowProvider>
  );
}
