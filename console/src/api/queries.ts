// Every question that the console asks, with how long an answer is good for.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  Agent,
  Execution,
  Extractor,
  Found,
  LineageAnswer,
  Part,
  PushExtractor,
  Quarantine,
  Run,
  Status,
  Thing,
  WholeThing,
} from "./answers";
import { ask, type Parameters, segment } from "./ask";

const LIVE_MS = 5_000;
const FRESH_MS = 30_000;
export const RESULTS_PER_PAGE = 50;

export const status = () =>
  queryOptions({ queryKey: ["status"], queryFn: () => ask<Status>("status"), refetchInterval: LIVE_MS });

export const extractors = () =>
  queryOptions({
    queryKey: ["extractors"],
    queryFn: () => ask<{ results: Extractor[]; push: PushExtractor[] }>("extractors"),
    refetchInterval: LIVE_MS,
  });

export const runs = (name: string) =>
  queryOptions({
    queryKey: ["runs", name],
    queryFn: () => ask<{ results: Run[] }>(`extractors/${segment(name)}/runs`, { limit: 40 }),
    refetchInterval: LIVE_MS,
  });

export const agents = () =>
  queryOptions({ queryKey: ["agents"], queryFn: () => ask<{ results: Agent[] }>("agents"), refetchInterval: LIVE_MS });

export const thing = (name: string) =>
  queryOptions({
    queryKey: ["thing", name],
    queryFn: () => ask<WholeThing>(`entities/${segment(name)}`),
    staleTime: FRESH_MS,
  });

export const children = (name: string) =>
  queryOptions({
    queryKey: ["children", name],
    queryFn: () => ask<Part<Thing>>(`entities/${segment(name)}/children`, { limit: 1000 }),
    staleTime: FRESH_MS,
  });

export const executions = (operation: string, limit = 100) =>
  queryOptions({
    queryKey: ["executions", operation, limit],
    queryFn: () => ask<Part<Execution>>(`entities/${segment(operation)}/executions`, { limit }),
    staleTime: FRESH_MS,
  });

export const latestOperations = (limit: number) =>
  queryOptions({
    queryKey: ["latest", limit],
    queryFn: () => ask<{ results: Thing[] }>("operations/latest", { limit }),
    refetchInterval: 2 * LIVE_MS,
  });

export const lineage = (name: string, parameters: Parameters) =>
  queryOptions({
    queryKey: ["lineage", name, parameters],
    queryFn: ({ signal }) => ask<LineageAnswer>(`lineage/${segment(name)}`, parameters, { signal }),
    staleTime: FRESH_MS,
  });

export const search = (query: string, sort: string) =>
  infiniteQueryOptions({
    queryKey: ["search", query, sort],
    queryFn: ({ pageParam, signal }) =>
      ask<Found>(
        "search",
        { query, sort, facets: pageParam === "", limit: RESULTS_PER_PAGE, cursor: pageParam || undefined },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    staleTime: FRESH_MS,
    retry: false,
  });

export const values = (field: string, query: string) =>
  queryOptions({
    queryKey: ["values", field, query],
    queryFn: ({ signal }) => ask<Found>("search", { query, facets: field, limit: 0 }, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });

export const quarantine = (limit: number) =>
  queryOptions({
    queryKey: ["quarantine", limit],
    queryFn: () => ask<Quarantine>("quarantine", { limit }),
    refetchInterval: LIVE_MS,
  });
