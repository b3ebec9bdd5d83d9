import { useStore } from "@xyflow/react";

/** Smaller than this, no text can be read, and none is drawn. */
const FAR = 0.3;

/** Whether the picture is seen from so far away that only shapes matter. */
export const useIsFar = () => useStore((state) => state.transform[2] < FAR);
