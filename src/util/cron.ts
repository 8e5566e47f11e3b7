import { createRequire } from "node:module";
import type { Cron } from "croner";
import { counted } from "./figures.ts";

/** Loaded where there is an expression to read: every command reads configurations, and most of them have none. */
type Croner = typeof import("croner");
let croner: Croner | undefined;

/** As a calculator: nothing runs by it. Throws with the reason where it is no expression of five fields. */
export function readCron(expression: string, timezone?: string): Cron {
  croner ??= loaded();
  return new croner.Cron(expression, { mode: "5-part", paused: true, ...(timezone && { timezone }) });
}

/** At once: what reads a configuration does not wait. */
function loaded(): Croner {
  return createRequire(import.meta.url)("croner");
}

const FIELDS = [
  { of: "the minute", range: "0 to 59" },
  { of: "the hour", range: "0 to 23" },
  { of: "the day of the month", range: "1 to 31" },
  { of: "the month", range: "1 to 12, or JAN to DEC" },
  { of: "the day of the week", range: "0 to 7, or SUN to SAT" },
];

/** Why nothing could run by an expression, in words that go on after its name. */
export function wrongInCron(expression: string): string | undefined {
  if (isRead(expression)) return readCron(expression).nextRun() ? undefined : `never comes: ${expression}`;
  const words = expression.trim().split(/\s+/);
  if (words[0]?.startsWith("@"))
    return `is no cron expression: of such names there are @hourly, @daily, @weekly, @monthly and @yearly`;
  if (words.length !== FIELDS.length)
    return `has ${counted(words.length, "field")} and must have five: minute, hour, day of the month, month, day of the week`;
  for (const [index, { of, range }] of FIELDS.entries()) {
    const alone = FIELDS.map((_, at) => (at === index ? words[at] : "*")).join(" ");
    if (!isRead(alone)) return `says "${words[index]}" for ${of}, and that goes from ${range}`;
  }
  return "is no cron expression";
}

function isRead(expression: string): boolean {
  try {
    readCron(expression);
    return true;
  } catch {
    return false;
  }
}
