// Numbers in words.

const GROUPED = new Intl.NumberFormat("en-GB");
const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"];

export function grouped(number: number): string {
  return GROUPED.format(number);
}

export function plural(word: string): string {
  if (word === "life") return "lives";
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : /(s|ch|x)$/.test(word) ? `${word}es` : `${word}s`;
}

/** `1 table`, `12 tables`. */
export function counted(number: number, word: string): string {
  return `${grouped(number)} ${number === 1 ? word : plural(word)}`;
}

/** Bytes in powers of 1024. */
export function bytes(number: number): string {
  let unit = 0;
  let size = number;
  while (size >= 1024 && unit + 1 < UNITS.length) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${grouped(number)} bytes` : `${size.toFixed(1)} ${UNITS[unit]}`;
}
