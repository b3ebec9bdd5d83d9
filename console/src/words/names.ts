// Names of things. What comes from outside is hostile: it is shortened, and control characters and
// characters that turn the direction of writing are made visible.
import type { Thing } from "../api/answers";

const LONGEST = 400;

/** Control characters, and marks that would change the direction of what stands around them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name as it may be shown: nothing in it is unseen. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Shortens in the middle, where names differ least. */
export function shortened(text: string, longest: number = LONGEST): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const end = Math.ceil((longest - 1) / 2);
  return `${characters.slice(0, longest - 1 - end).join("")}…${characters.slice(-end).join("")}`;
}

/** `/warehouse/…/report`: the first and the last folder of a long path. */
export function shortenedPath(path: string, longest: number): string {
  if (path.length <= longest) return path;
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  const first = /^[a-z0-9+.-]+:$/i.test(parts[0] ?? "") ? parts.slice(0, 3).join("/") : parts.slice(0, 2).join("/");
  const short = `${first}/…/${last}`;
  if (short.length >= path.length) return shortened(path, longest);
  return short.length <= longest ? short : shortened(`…/${last}`, longest);
}

/** Splits a qualified name at its dots; parts in backticks may hold dots. */
export function partsOf(qualifiedName: string): string[] {
  const parts: string[] = [];
  let part = "";
  let isQuoted = false;
  for (const character of qualifiedName) {
    if (character === "`") isQuoted = !isQuoted;
    if (character === "." && !isQuoted) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  parts.push(part);
  return parts;
}

/** The table of a column's qualified name, and the column's own name. */
export function splitColumn(qualifiedName: string): { table: string; column: string } {
  const parts = partsOf(qualifiedName);
  const last = parts.at(-1) ?? "";
  return { table: qualifiedName.slice(0, -(last.length + 1)), column: last.replaceAll("`", "") };
}

export interface SplitName {
  /** Where it is: quiet. */
  place: string;
  /** What it is called: loud. */
  own: string;
}

/** A thing's name in two parts, both fit to be shown. */
export function nameOf(thing: Pick<Thing, "id" | "qualifiedName" | "originalName" | "queryText">): SplitName {
  const qualified = thing.qualifiedName;
  if (!qualified) {
    const text = thing.queryText ?? thing.originalName ?? thing.id;
    return { place: "", own: visible(text.replace(/\s+/g, " ").trim()) };
  }
  if (isPath(qualified)) {
    const cut = qualified.lastIndexOf("/") + 1;
    return { place: visible(qualified.slice(0, cut)), own: visible(qualified.slice(cut) || "/") };
  }
  const own = partsOf(qualified).at(-1) ?? qualified;
  return { place: visible(qualified.slice(0, qualified.length - own.length)), own: visible(own) };
}

/** The whole name on one line. */
export function wholeName(thing: Pick<Thing, "id" | "qualifiedName" | "originalName" | "queryText">): string {
  const { place, own } = nameOf(thing);
  return place + own;
}

export function isPath(qualifiedName: string): boolean {
  return qualifiedName.startsWith("/") || /^[a-z][a-z0-9+.-]*:\//i.test(qualifiedName);
}

/** The short name of a database, for a file's name. */
export function fileName(thing: Pick<Thing, "id" | "qualifiedName" | "originalName" | "queryText">): string {
  const name = wholeName(thing)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return shortened(name || thing.id, 60).replace("…", "-");
}
