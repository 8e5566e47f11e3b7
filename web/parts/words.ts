/** Figures in the words that people read, in the browser's own language for dates and in Baton's for the rest. */

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

/** `0:41`, `12:05`, `1:02:05`: what still runs. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3_600);
  const shown = hours > 0 ? [hours, ...parts] : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** `22:40` today, `Tue 22:40` this week, `3 Nov` before. */
export function moment(at: string | number | Date, now: Date): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  if (date.toDateString() === now.toDateString()) return time;
  if (Math.abs(now.getTime() - date.getTime()) < 6 * DAY) {
    return `${date.toLocaleDateString([], { weekday: "short" })} ${time}`;
  }
  return date.toLocaleDateString([], { day: "numeric", month: "short" });
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

/** `812 B`, `12 kB`, `3.4 MB`, `1.2 GB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)} kB`;
  if (value < 1e9) return `${(value / 1e6).toFixed(1)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

/** `1 job`, `3 jobs`. */
export function counted(value: number, word: string, plural = `${word}s`): string {
  return `${value} ${value === 1 ? word : plural}`;
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
