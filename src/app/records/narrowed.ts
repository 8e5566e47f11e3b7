import { parseDuration } from "../../config/reader/duration.ts";
import { JOB_STATUSES, type JobStatus } from "../../job/job.ts";
import { nearest } from "../../util/nearest.ts";
import { DAY_MS } from "../../util/time.ts";

export { JOB_STATUSES } from "../../job/job.ts";

/** Shorter texts are in most requests, and no index has them. */
export const SHORTEST_TEXT = 3;

/** Those named in a text with commas between, or the word that names none with the one that was perhaps meant. */
export function statusesIn(text: string): { statuses: JobStatus[] } | { wrong: string; meant?: string } {
  const statuses: JobStatus[] = [];
  for (const word of text.split(",").map((part) => part.trim().toLowerCase())) {
    const known = JOB_STATUSES.find((status) => status === word);
    if (!known) {
      const meant = nearest(word, JOB_STATUSES);
      return { wrong: word, ...(meant && { meant }) };
    }
    statuses.push(known);
  }
  return { statuses };
}

/** In milliseconds, as `30d` says it. Undefined for anything else. */
export function durationIn(text: string): number | undefined {
  return parseDuration(text.trim().toLowerCase());
}

/** The moment that a person means by `2h`, `3d`, `today`, `yesterday` or a day, where they are. Undefined for anything else. */
export function sinceIn(text: string, now: Date): Date | undefined {
  const word = text.trim().toLowerCase();
  if (word === "today") return beginningOf(now);
  if (word === "yesterday") return beginningOf(new Date(beginningOf(now).getTime() - DAY_MS / 2));
  const ago = parseDuration(word);
  if (ago !== undefined) return dated(now.getTime() - ago);
  const [, year, month, day, hours = "0", minutes = "0"] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ t](\d\d):(\d\d))?$/.exec(word) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const found = new Date(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes));
  // A day that there is not, such as 2026-02-30, would become another one.
  return found.getDate() === Number(day) && found.getMonth() === Number(month) - 1 ? found : undefined;
}

/** A moment that comes: `2h`, `18:00`, `tomorrow`, `2026-11-20`, `2026-11-20 08:00`. */
export function untilIn(text: string, now: Date): Date | undefined {
  const word = text.trim().toLowerCase();
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (word === "tomorrow") return tomorrow;
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(word) ?? [];
  if (hours !== undefined) {
    const today = new Date(beginningOf(now).setHours(Number(hours), Number(minutes)));
    return today > now ? today : new Date(tomorrow.setHours(Number(hours), Number(minutes)));
  }
  const lasts = parseDuration(word);
  return lasts === undefined ? sinceIn(word, now) : dated(now.getTime() + lasts);
}

function beginningOf(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate());
}

function dated(ms: number): Date | undefined {
  const found = new Date(ms);
  return Number.isNaN(found.getTime()) || ms < 0 ? undefined : found;
}
