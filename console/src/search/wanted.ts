// What is looked for: what somebody wrote, narrowed by the facets that were chosen. All of it stands in the address.
import { quoted } from "./completion";

export const FACETS = ["type", "sourceType", "cluster", "database", "owner", "deleted"] as const;
export type FacetField = (typeof FACETS)[number];

export const SORTS = ["relevance", "name", "-created", "created", "-started", "-lastSeen"] as const;
export type Sort = (typeof SORTS)[number];

export const DATES = ["NOW-1DAY", "NOW-7DAY", "NOW-30DAY", "NOW-1YEAR"] as const;

export interface Wanted {
  text: string;
  chosen: Partial<Record<FacetField, readonly string[]>>;
  /** Created at or after this. */
  since: string | null;
  sort: Sort;
}

export function fromAddress(search: URLSearchParams): Wanted {
  const chosen: Wanted["chosen"] = {};
  for (const field of FACETS) {
    const values = search.getAll(field);
    if (values.length > 0) chosen[field] = values;
  }
  const since = search.get("since");
  return {
    text: search.get("query") ?? "",
    chosen,
    since: DATES.find((date) => date === since) ?? null,
    sort: SORTS.find((sort) => sort === search.get("sort")) ?? "relevance",
  };
}

export function toAddress(wanted: Wanted): URLSearchParams {
  const search = new URLSearchParams();
  if (wanted.text) search.set("query", wanted.text);
  for (const field of FACETS) for (const value of wanted.chosen[field] ?? []) search.append(field, value);
  if (wanted.since) search.set("since", wanted.since);
  if (wanted.sort !== "relevance") search.set("sort", wanted.sort);
  return search;
}

/** The query that the server is asked. */
export function fullQuery({ text, chosen, since }: Wanted): string {
  const clauses: string[] = [];
  for (const field of FACETS) {
    const values = chosen[field] ?? [];
    if (values.length === 1 && values[0] !== undefined) clauses.push(`${field}:${quoted(values[0])}`);
    if (values.length > 1) clauses.push(`${field}:(${values.map(quoted).join(" OR ")})`);
  }
  if (since) clauses.push(`created:>=${since}`);
  if (clauses.length === 0) return text;
  const own = text.trim() && text.trim() !== "*" ? [`(${text})`] : [];
  return [...own, ...clauses].join(" AND ");
}

/** Where a place in the full query is in what was written; `null` if it is not there. */
export function placeInText(wanted: Wanted, position: number): number | null {
  const full = fullQuery(wanted);
  const shift = full === wanted.text ? 0 : 1;
  const place = position - shift;
  return place >= 0 && place <= Array.from(wanted.text).length ? place : null;
}

/** The facet's value chosen if it was not, and the other way round. */
export function turned(wanted: Wanted, field: FacetField, value: string): Wanted {
  const before = wanted.chosen[field] ?? [];
  const after = before.includes(value) ? before.filter((other) => other !== value) : [...before, value];
  return { ...wanted, chosen: { ...wanted.chosen, [field]: after } };
}
