// What may stand at the end of a query that is being written.
import { FIELDS } from "./fields";

export interface Unfinished {
  /** What stands before the word that is being written. */
  before: string;
  /** The field whose value it is; without one, the word may become a field. */
  field: string | null;
  /** The word so far. */
  word: string;
}

export interface Completion {
  /** The whole query with the word completed. */
  whole: string;
  shown: string;
  says: string;
}

const MOST_SHOWN = 12;

/** The last word of a query; `null` inside of quotes, where nothing is completed. */
export function unfinished(query: string): Unfinished | null {
  if ((query.match(/(?<!\\)"/g) ?? []).length % 2 === 1) return null;
  const word = /[^\s()]*$/.exec(query)?.[0] ?? "";
  const bare = word.replace(/^[+-]/, "");
  const colon = bare.indexOf(":");
  const start = query.length - bare.length;
  if (colon < 0) return { before: query.slice(0, start), field: null, word: bare };
  const before = query.slice(0, start + colon + 1);
  return { before, field: bare.slice(0, colon), word: bare.slice(colon + 1) };
}

/** Fields that begin with the word; those that contain it come after. */
export function fieldCompletions({ before, word }: Unfinished): Completion[] {
  const wanted = word.toLowerCase();
  const begins = FIELDS.filter((field) => field.name.toLowerCase().startsWith(wanted));
  const contains = FIELDS.filter((field) => wanted.length > 1 && field.name.toLowerCase().indexOf(wanted) > 0);
  return [...begins, ...contains].slice(0, MOST_SHOWN).map((field) => ({
    whole: `${before}${field.name}:`,
    shown: `${field.name}:`,
    says: field.says,
  }));
}

/** Values that contain what is written behind the colon. */
export function valueCompletions(
  { before, word }: Unfinished,
  values: readonly { value: string; says: string }[],
): Completion[] {
  const wanted = word.replace(/^"/, "").toLowerCase();
  return values
    .filter(({ value }) => value.toLowerCase().includes(wanted))
    .slice(0, MOST_SHOWN)
    .map(({ value, says }) => ({ whole: `${before}${quoted(value)} `, shown: value, says }));
}

/** A value as it has to be written to mean itself. */
export function quoted(value: string): string {
  const isComparison = /^(>=?|<=?)[\w+-]+$|^\[.* TO .*\]$/.test(value);
  if (isComparison || /^[\p{L}\p{N}_./-]*[\p{L}\p{N}_./]$/u.test(value)) return value;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
