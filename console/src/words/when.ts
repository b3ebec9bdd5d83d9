// Times in words. The API tells RFC 3339 in UTC; people see their own time zone.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time, in one unit that fits: `4 s`, `21 min`, `3 h`, `12 days`. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < SECOND) return `${Math.round(size)} ms`;
  if (size < 90 * SECOND) return `${Math.round(size / SECOND)} s`;
  if (size < 90 * MINUTE) return `${Math.round(size / MINUTE)} min`;
  if (size < 36 * HOUR) return `${Math.round(size / HOUR)} h`;
  const days = Math.round(size / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

/** `4 s ago`, `in 6 min`, `never`. */
export function ago(time: string | null | undefined, now: number = Date.now()): string {
  if (!time) return "never";
  const distance = Date.parse(time) - now;
  if (Math.abs(distance) < SECOND) return "now";
  return distance > 0 ? `in ${duration(distance)}` : `${duration(distance)} ago`;
}

const EXACT = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const DATE = new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "short", day: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `30 Nov 2026, 19:07:30`. */
export function exactly(time: string | null | undefined): string {
  return time ? EXACT.format(new Date(time)) : "unknown";
}

/** `30 Nov 2026`. */
export function onDate(time: string | null | undefined): string {
  return time ? DATE.format(new Date(time)) : "unknown";
}

/** The clock time if it was today, else the date and the clock time. */
export function at(time: string | null | undefined, now: number = Date.now()): string {
  if (!time) return "unknown";
  const date = new Date(time);
  const isToday = DATE.format(date) === DATE.format(new Date(now));
  return isToday ? CLOCK.format(date) : EXACT.format(date);
}

/** The day of a time as a date field has it: `2026-11-30`. */
export function dayOf(time: string): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last moment of a day of a date field, here: what was seen on that day was seen by then. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
