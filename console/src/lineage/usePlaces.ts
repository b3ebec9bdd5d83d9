import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Id } from "../api/answers";
import type { Box } from "./boxes";
import type { Graph } from "./graph";
import { lay } from "./layered/lay";
import type { LaidOut } from "./layered/layered";
import { arranged, type Places, toLayOut, type Ways } from "./layout";
import { apart, placedBeside } from "./place";

interface Arranged {
  arrangement: string;
  tidied: number;
  /** Where everything belongs, before open columns push it. */
  homes: Places;
  ways: Ways;
}

const NO_WAYS: Ways = new Map();

/**
 * Where each node stands. A new question is laid out as a whole around the root, which stays where it
 * was; what is only added to an answer goes beside it, and nothing that is there moves.
 */
export function usePlaces(graph: Graph | null, arrangement: string, boxes: ReadonlyMap<Id, Box>, tidied: number) {
  const [state, setState] = useState<Arranged | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const latest = useRef({ boxes, state });
  latest.current = { boxes, state };

  useLayoutEffect(() => {
    if (!graph) return;
    const { boxes: sizes, state: before } = latest.current;
    if (before?.arrangement === arrangement && before.tidied === tidied) {
      setState({ ...before, homes: placedBeside(before.homes, graph, sizes) });
      return;
    }
    let isWanted = true;
    const given = toLayOut(graph, sizes);
    const take = (laidOut: LaidOut) => {
      if (!isWanted) return;
      const { places, ways } = arranged(graph, sizes, given, laidOut, before?.homes.get(graph.root));
      setState({ arrangement, tidied, homes: places, ways });
      setError(null);
    };
    const answer = lay(given);
    if (answer instanceof Promise) {
      answer.then(take, (failure: unknown) => {
        if (isWanted) setError(failure instanceof Error ? failure : new Error(String(failure)));
      });
    } else take(answer);
    return () => {
      isWanted = false;
    };
  }, [graph, arrangement, tidied]);

  const places = useMemo(() => (state ? apart(state.homes, boxes) : null), [state, boxes]);
  // A line keeps its way around other nodes as long as both its ends stand where they belong.
  const ways = useMemo(() => {
    if (!state || !places) return NO_WAYS;
    const isHome = (id: string) => places.get(id)?.y === state.homes.get(id)?.y;
    return new Map(
      [...state.ways].filter(([way]) => {
        const [source = "", target = ""] = way.split(">");
        return isHome(source) && isHome(target);
      }),
    );
  }, [state, places]);
  return { places, ways, arrangement: state?.arrangement ?? "", error };
}
