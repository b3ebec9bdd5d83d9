// Every question that the console asks, with how long an answer is good for.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { KeptChanges } from "../entity/changes";
import type {
  Agent,
  Execution,
  Extractor,
  Found,
  History,
  LineageAnswer,
  Part,
  PushExtractor,
  Quarantine,
  Run,
  Status,
  Thing,
  UsingOperations,
  WholeThing,
} from "./answers";
import { ask, segment } from "./ask";
import type { components, paths } from "./schema.gen";

/** What may be asked, as the server's own description has it. */
type LineageParameters = NonNullable<paths["/api/v1/lineage/{name}"]["get"]["parameters"]["query"]>;
type SearchParameters = NonNullable<paths["/api/v1/search"]["get"]["parameters"]["query"]>;

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

/** What a run logged; without a run the newest. What is over says no more. */
export const runLog = (name: string, run: string | null) =>
  queryOptions({
    queryKey: ["run log", name, run],
    queryFn: () => ask<components["schemas"]["RunLogAnswer"]>(`extractors/${segment(name)}/log`, { run }),
    refetchInterval: (query) => (run === null || query.state.data?.running ? LIVE_MS : false),
  });

export const agents = () =>
  queryOptions({ queryKey: ["agents"], queryFn: () => ask<{ results: Agent[] }>("agents"), refetchInterval: LIVE_MS });

export const thing = (name: string) =>
  queryOptions({
    queryKey: ["thing", name],
    queryFn: () => ask<WholeThing>(`entities/${segment(name)}`),
    staleTime: FRESH_MS,
  });

/** The operations that read or write a thing. */
export const usingOperations = (name: string, role: "all" | "reads" | "writes") =>
  infiniteQueryOptions({
    queryKey: ["using operations", name, role],
    queryFn: ({ pageParam }) =>
      ask<UsingOperations>(`entities/${segment(name)}/operations`, { role, limit: 100, skip: pageParam }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next,
    staleTime: FRESH_MS,
  });

export const history = (name: string) =>
  queryOptions({
    queryKey: ["history", name],
    queryFn: () => ask<History & KeptChanges>(`entities/${segment(name)}/history`),
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

export const lineage = (name: string, parameters: LineageParameters) =>
  queryOptions({
    queryKey: ["lineage", name, parameters],
    queryFn: ({ signal }) => ask<LineageAnswer>(`lineage/${segment(name)}`, parameters, { signal }),
    staleTime: FRESH_MS,
  });

const searching = (parameters: SearchParameters) => parameters;

export const search = (query: string, sort: string) =>
  infiniteQueryOptions({
    queryKey: ["search", query, sort],
    queryFn: ({ pageParam, signal }) =>
      ask<Found>(
        "search",
        searching({
          query,
          sort,
          limit: RESULTS_PER_PAGE,
          ...(pageParam === "" ? { facets: "true" } : { cursor: pageParam }),
        }),
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
    queryFn: ({ signal }) => ask<Found>("search", searching({ query, facets: field, limit: 0 }), { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });

export const quarantine = (limit: number) =>
  queryOptions({
    queryKey: ["quarantine", limit],
    queryFn: () => ask<Quarantine>("quarantine", { limit }),
    refetchInterval: LIVE_MS,
  });
