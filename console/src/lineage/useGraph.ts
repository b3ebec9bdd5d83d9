import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { Id, LineageAnswer } from "../api/answers";
import { children, lineage } from "../api/queries";
import type { OpenColumns } from "./boxes";
import { type ColumnFlow, columnFlows, columnsOf } from "./columns";
import { type Graph, merged } from "./graph";
import { needsColumns, parametersOf, parametersOfExpansion, type View } from "./view";

export interface Loaded {
  graph: Graph | null;
  /** Another one for every question about the root, and the same for what is only added to its answer. */
  arrangement: string;
  flows: readonly ColumnFlow[];
  open: OpenColumns;
  answers: readonly LineageAnswer[];
  error: Error | null;
  retry: () => void;
  isBusy: boolean;
}

/** Asks for everything that the view shows, and puts it together. */
export function useGraph(root: Id, view: View, filters: ReadonlyMap<Id, string>): Loaded {
  const withColumns = needsColumns(view);
  const first = useQuery({ ...lineage(root, parametersOf(view, withColumns)), placeholderData: keepPreviousData });
  const later = useQueries({
    queries: view.expansions.map((expansion) => ({
      ...lineage(expansion.id, parametersOfExpansion(view, expansion, withColumns)),
      placeholderData: keepPreviousData,
    })),
  });
  const listed = useQueries({ queries: view.open.map((id) => ({ ...children(id), retry: false })) });

  const stamp = [first.dataUpdatedAt, ...later.map((query) => query.dataUpdatedAt)].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp stands for the answers
  const graph = useMemo(() => {
    if (!first.data) return null;
    const answered = view.expansions.flatMap((expansion, place) => {
      const answer = later[place]?.data;
      return answer ? [{ expansion, answer }] : [];
    });
    return merged(first.data, answered);
  }, [first.data, stamp, view.expansions]);

  // While another answer is on its way the one before is shown, as it was laid out.
  const arrangement = useRef("");
  if (!first.isPlaceholderData) arrangement.current = JSON.stringify([root, parametersOf(view, false)]);

  const flows = useMemo(() => (graph ? columnFlows(graph) : []), [graph]);
  const listedStamp = listed.map((query) => query.dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp stands for the answers
  const open = useMemo(() => {
    const columns: Map<Id, { columns: ReturnType<typeof columnsOf>; filter: string }> = new Map();
    view.open.forEach((id, place) => {
      const node = graph?.nodes.get(id);
      const query = listed[place];
      // A name that no source has shown has no list; its columns are those that statements use.
      if (!node || query?.isPending) return;
      columns.set(id, {
        columns: columnsOf(node, query?.data?.results ?? [], flows),
        filter: filters.get(id) ?? "",
      });
    });
    return columns;
  }, [graph, flows, listedStamp, view.open, filters]);

  const answers = [first.data, ...later.map((query) => query.data)].filter((answer) => answer !== undefined);
  return {
    graph,
    arrangement: arrangement.current,
    flows,
    open,
    answers,
    error: first.error ?? later.find((query) => query.error)?.error ?? null,
    retry: () => {
      if (first.error) first.refetch();
      for (const query of later) if (query.error) query.refetch();
    },
    isBusy: first.isFetching || later.some((query) => query.isFetching),
  };
}
