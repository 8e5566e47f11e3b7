/** Figures in the words that people read, in the browser's own language for dates and in Baton's for the rest. */

export { clock, counted } from "../../src/util/figures.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `41 s`, `4 min`, `1 h 12 min`, `3 d 4 h`. */
export function lasting(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return pair(Math.floor(ms / HOUR), "h", Math.floor((ms % HOUR) / MINUTE), "min");
  return pair(Math.floor(ms / DAY), "d", Math.floor((ms % DAY) / HOUR), "h");
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

// A browser takes a millisecond to make one of these, and a long list shows thousands of times.
const TIME = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const WEEKDAY = new Intl.DateTimeFormat([], { weekday: "short" });
const DATE = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });
const OTHER_YEAR = new Intl.DateTimeFormat([], { day: "numeric", month: "short", year: "numeric" });

export const timeOfDay = (date: Date) => TIME.format(date);

/** `22:40` today, `Tue 22:40` this week, `3 Nov` before, with the year if it is another. */
export function moment(at: string | number | Date, now: Date): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  if (Math.abs(now.getTime() - date.getTime()) < 6 * DAY)
    return `${WEEKDAY.format(date)} ${TIME.format(date)}`;
  return (date.getFullYear() === now.getFullYear() ? DATE : OTHER_YEAR).format(date);
}

/** `$6.02`, `$0.004` where cents would be nothing. */
export function money(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`;
}

/** `812`, `124k`, `1.2M`. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

export const percent = (share: number) => `${Math.round(share * 100)} %`;

/** `812 B`, `12 kB`, `3.4 MB`, `1.2 GB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)} kB`;
  if (value < 1e9) return `${(value / 1e6).toFixed(1)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

const SMALL = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

/** At the beginning of a sentence. */
export function numberWord(value: number): string {
  return SMALL[value] ?? String(value);
}

/** The first line, at most so long. */
export function firstLine(text: string, most = 120): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
