import { useEffect, useMemo, useRef, useState } from "react";
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import { laidOut } from "./engine";
import type { Graph } from "./graph";
import { anchored, fromEngine, type Places, toEngine } from "./layout";
import { apart, placedBeside } from "./place";

interface Arranged {
  arrangement: string;
  tidied: number;
  /** Where everything belongs, before open columns push it. */
  homes: Places;
}

/**
 * Where each node stands. A new question is laid out as a whole around the root, which stays where it
 * was; what is only added to an answer goes beside it, and nothing that is there moves.
 */
export function usePlaces(graph: Graph | null, arrangement: string, boxes: ReadonlyMap<Id, Box>, tidied: number) {
  const [arranged, setArranged] = useState<Arranged | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const latest = useRef({ boxes, arranged });
  latest.current = { boxes, arranged };

  useEffect(() => {
    if (!graph) return;
    const { boxes: sizes, arranged: before } = latest.current;
    if (before?.arrangement === arrangement && before.tidied === tidied) {
      setArranged({ ...before, homes: placedBeside(before.homes, graph, sizes) });
      return;
    }
    let isWanted = true;
    laidOut(toEngine(graph, sizes)).then(
      (answer) => {
        if (!isWanted) return;
        const homes = anchored(fromEngine(graph, sizes, answer), graph.root, before?.homes.get(graph.root));
        setArranged({ arrangement, tidied, homes });
        setError(null);
      },
      (failure: unknown) => {
        if (isWanted) setError(failure instanceof Error ? failure : new Error(String(failure)));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [graph, arrangement, tidied]);

  const places = useMemo(() => (arranged ? apart(arranged.homes, boxes) : null), [arranged, boxes]);
  return { places, arrangement: arranged?.arrangement ?? "", error };
}
