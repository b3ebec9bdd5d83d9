// Which parts of a text a query asked for.

const OPERATORS = new Set(["and", "or", "not", "to"]);
const FIELDS_OF_TEXT =
  /^(querytext|originalname|qualifiedname|filesystempath|originaldescription|path|name|description|comment)$/i;

/** The words that are looked for in names and texts, in lower case; what is refused is not among them. */
export function needles(query: string): string[] {
  const found = new Set<string>();
  const clause = /([+-]?)(?:([\w.]+):)?(?:"((?:\\.|[^"\\])*)"|([^\s()"]+))/g;
  for (const [, sign, field, phrase, word] of query.matchAll(clause)) {
    if (sign === "-" || (field && !FIELDS_OF_TEXT.test(field))) continue;
    const text = (phrase ?? word ?? "").replace(/\\(.)/g, "$1").toLowerCase();
    if (word && (OPERATORS.has(text) || /^[[{<>]/.test(text))) continue;
    for (const part of text.split(/[*?]+/)) if (part.length > 1) found.add(part);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

export interface Stretch {
  text: string;
  isFound: boolean;
}

/** The text, cut where a needle begins and ends. */
export function marked(text: string, wanted: readonly string[]): Stretch[] {
  if (wanted.length === 0 || text === "") return [{ text, isFound: false }];
  const pattern = new RegExp(`(${wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return text
    .split(pattern)
    .map((part, place) => ({ text: part, isFound: place % 2 === 1 }))
    .filter((part) => part.text !== "");
}

const AROUND = 90;

/** A line of a long text around the first needle. */
export function excerpt(text: string, wanted: readonly string[], longest: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= longest) return line;
  const lower = line.toLowerCase();
  const first = Math.min(...wanted.map((word) => lower.indexOf(word)).filter((place) => place >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - AROUND) : 0;
  const cut = line.slice(start, start + longest);
  return `${start > 0 ? "…" : ""}${cut}${start + longest < line.length ? "…" : ""}`;
}
