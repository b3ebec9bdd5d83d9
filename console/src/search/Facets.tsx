import type { Facet } from "../api/answers";
import { sourceWord, typeWord } from "../words/kinds";
import { visible } from "../words/names";
import { grouped } from "../words/numbers";
import { DATES, FACETS, type FacetField, turned, type Wanted } from "./wanted";

const WORDS: Record<FacetField, string> = {
  type: "Type",
  sourceType: "Source",
  cluster: "Cluster",
  database: "Database",
  owner: "Owner",
  deleted: "Deleted",
};
const DATE_WORDS: Record<(typeof DATES)[number], string> = {
  "NOW-1DAY": "in the last day",
  "NOW-7DAY": "in the last 7 days",
  "NOW-30DAY": "in the last 30 days",
  "NOW-1YEAR": "in the last year",
};
const FEW = 8;

interface Props {
  wanted: Wanted;
  facets: Record<string, Facet[]>;
  onChange: (wanted: Wanted) => void;
}

/** What the results can be narrowed to, with how many would be left. */
export function Facets({ wanted, facets, onChange }: Props) {
  return (
    <details className="facets" open={!matchMedia("(max-width: 52rem)").matches}>
      <summary>Narrow the results</summary>
      {FACETS.map((field) => (
        <FacetGroup key={field} field={field} counts={facets[field] ?? []} wanted={wanted} onChange={onChange} />
      ))}
      <fieldset>
        <legend>Created</legend>
        {DATES.map((date) => (
          <label key={date}>
            <input
              type="checkbox"
              checked={wanted.since === date}
              onChange={() => onChange({ ...wanted, since: wanted.since === date ? null : date })}
            />
            <span>{DATE_WORDS[date]}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function FacetGroup({
  field,
  counts,
  wanted,
  onChange,
}: Omit<Props, "facets"> & { field: FacetField; counts: Facet[] }) {
  const chosen = wanted.chosen[field] ?? [];
  const unseen = chosen.filter((value) => !counts.some((count) => count.value === value));
  const all = [...unseen.map((value) => ({ value, count: 0 })), ...counts];
  if (all.length === 0) return null;
  const shown = all.filter(({ value }, place) => place < FEW || chosen.includes(value));
  return (
    <fieldset>
      <legend>{WORDS[field]}</legend>
      {shown.map(({ value, count }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onChange(turned(wanted, field, value))}
          />
          <bdi>{wordOf(field, value)}</bdi>
          <span className="quiet">{grouped(count)}</span>
        </label>
      ))}
      {all.length > shown.length && (
        <p className="quiet small">{grouped(all.length - shown.length)} more: write them</p>
      )}
    </fieldset>
  );
}

function wordOf(field: FacetField, value: string): string {
  if (field === "type") return typeWord(value);
  if (field === "sourceType") return sourceWord(value);
  if (field === "deleted") return value === "true" ? "yes" : "no";
  return visible(value);
}
