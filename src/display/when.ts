import { DAY_MS } from "../util/time.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** A month then says which one. */
const THIS_YEAR_MS = 300 * DAY_MS;

/** `Nov 15 20:35`, or `2025-11-15` where that is long ago: a moment on record, where the reader is, for a list. */
export function shortDate(at: string, now: Date): string {
  const time = new Date(at);
  if (Math.abs(now.getTime() - time.getTime()) > THIS_YEAR_MS) return dayOf(time);
  return `${MONTHS[time.getMonth()]} ${two(time.getDate())} ${clockOf(time)}`;
}

/** `2026-11-15 20:35`. */
export function longDate(at: string): string {
  const time = new Date(at);
  return `${dayOf(time)} ${clockOf(time)}`;
}

/** `2026-11-15 20:35 to 21:10`, with the second day where it is another. */
export function dates(from: string, to: string): string {
  const [start, end] = [new Date(from), new Date(to)];
  if (longDate(from) === longDate(to)) return longDate(from);
  return `${longDate(from)} to ${dayOf(start) === dayOf(end) ? clockOf(end) : longDate(to)}`;
}

const two = (figure: number) => String(figure).padStart(2, "0");

function dayOf(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function clockOf(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}
