// SQL text, cut into pieces for showing. This is a lexer for the eye: it never refuses anything.

export type PieceKind = "keyword" | "text" | "string" | "number" | "comment" | "name";
export interface Piece {
  kind: PieceKind;
  text: string;
}

const KEYWORDS = new Set(
  `all alter analyze and as asc between by cache cascade case cast cluster clustered column comment compute create cross
  current database delete desc describe distinct distribute drop else end escape except exists explain external false
  fields following for format from full function grouping group having if in inner insert intersect interval into is
  join lateral left like limit load local location merge minus not null on or order outer over overwrite partition
  partitioned preceding purge refresh rename replace right rlike row rows schema select semi set sets show sort stored
  straight_join table tablesample tblproperties temporary terminated then to true truncate unbounded union update
  upsert use using values view when where window with`.split(/\s+/),
);
const LONGEST_SHOWN = 200_000;
const TOKEN =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:\\[\s\S]|''|[^'\\])*(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|$))|(?<name>(?:`[^`]*(?:`|$)|[\p{L}_][\p{L}\p{N}_$]*)(?:\.(?:`[^`]*(?:`|$)|[\p{L}_][\p{L}\p{N}_$]*))*)|(?<number>\d[\w.]*)|(?<text>[\s\S])/gu;

/** The text in pieces; put together they are the text again, of at most 200,000 characters. */
export function pieces(statement: string): Piece[] {
  const found: Piece[] = [];
  for (const match of statement.slice(0, LONGEST_SHOWN).matchAll(TOKEN)) {
    const groups = match.groups ?? {};
    let kind: PieceKind = "text";
    if (groups.comment !== undefined) kind = "comment";
    else if (groups.string !== undefined) kind = "string";
    else if (groups.number !== undefined) kind = "number";
    else if (groups.name !== undefined) kind = KEYWORDS.has(match[0].toLowerCase()) ? "keyword" : "name";
    const last = found.at(-1);
    if (kind === "text" && last?.kind === "text") last.text += match[0];
    else found.push({ kind, text: match[0] });
  }
  return found;
}

const VERBS = [
  /^create\s+(?:or\s+replace\s+)?(?:(?:external|temporary)\s+)*table\b[\s\S]*?\bas\b/i,
  /^create\s+(?:or\s+replace\s+)?view\b/i,
  /^alter\s+view\b/i,
  /^insert\s+overwrite\b/i,
  /^insert\b/i,
  /^upsert\b/i,
  /^merge\b/i,
  /^load\b/i,
];
const VERB_WORDS = [
  "create table as",
  "create view",
  "alter view",
  "insert overwrite",
  "insert",
  "upsert",
  "merge",
  "load",
];

/** What a statement does, in a word or three. */
export function verb(statement: string | null | undefined, operationType?: string | null): string {
  const text = (statement ?? "").replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, "");
  const place = VERBS.findIndex((pattern) => pattern.test(text.slice(0, 2000)));
  if (place >= 0) return VERB_WORDS[place] ?? "statement";
  if (/^with\b/i.test(text)) return /\binsert\b/i.test(text) ? "insert" : "select";
  const first = /^[a-z]+/i.exec(text)?.[0]?.toLowerCase();
  if (first && KEYWORDS.has(first)) return first;
  return operationType ? operationType.toLowerCase().replaceAll("_", " ") : "statement";
}

/** Whether a piece is one of these tables, written with or without its database. */
export function isNameOf(piece: Piece, qualifiedNames: readonly string[]): string | null {
  if (piece.kind !== "name") return null;
  const written = piece.text.replaceAll("`", "").toLowerCase();
  for (const qualified of qualifiedNames) {
    const plain = qualified.replaceAll("`", "").toLowerCase();
    if (plain === written || plain.endsWith(`.${written}`) || written.startsWith(`${plain}.`)) return qualified;
  }
  return null;
}
