import type { Cron } from "croner";
import type { ScheduleConfig } from "../../config/config.ts";
import { readCron } from "../../util/cron.ts";

type Times = Pick<ScheduleConfig, "times">;

/** The first due time after a moment. Undefined where none ever comes. */
export function nextDue({ times }: Times, after: Date): Date | undefined {
  if (times.kind === "interval") return new Date(after.getTime() + times.everyMs);
  // Nobody knows when somebody calls.
  if (times.kind === "webhook") return undefined;
  const { expression, timezone } = times;
  return cronOf(expression, timezone).nextRun(after) ?? undefined;
}

const known = new Map<string, Cron>();

/** To read an expression takes longer than to ask it. */
function cronOf(expression: string, timezone: string | undefined): Cron {
  const key = `${timezone ?? ""}\0${expression}`;
  const found = known.get(key) ?? readCron(expression, timezone);
  known.set(key, found);
  return found;
}

/** How many due times there are at most of which each is looked at by itself. */
const MOST = 20_000;
/** An expression is asked for each due time, which takes a while: what else the process does gets its turn in between. */
const OLD_AT_ONCE = 5_000;

/** Due times in a row. `first` and `last` are the same where there is one. */
export interface Stretch {
  first: Date;
  last: Date;
  count: number;
}

export interface Due {
  /** Those before `recent`: too old to be made up for. */
  old: Stretch | undefined;
  /** Each by itself, the newest last. */
  recent: Date[];
  /** The first that is still to come, or, after very many, the first that is left to be looked at. */
  next: Date | undefined;
}

/** All due times from `first` up to now, each of them once. Those before `since` are only counted, in several steps where they are very many. */
export function dueUntil(schedule: Times, first: Date, { since, now }: { since: Date; now: Date }): Due {
  const { times } = schedule;
  let old: Stretch | undefined;
  let at: Date | undefined = first;
  if (times.kind === "interval" && at < since) {
    // Years of minutes are not looked at one by one.
    const count = Math.ceil((since.getTime() - at.getTime()) / times.everyMs);
    const last = new Date(at.getTime() + (count - 1) * times.everyMs);
    old = { first: at, last, count };
    at = new Date(last.getTime() + times.everyMs);
  }
  while (at !== undefined && at < since && at <= now) {
    old = { first: old?.first ?? at, last: at, count: (old?.count ?? 0) + 1 };
    at = nextDue(schedule, at);
    if (old.count === OLD_AT_ONCE) return { old, recent: [], next: at };
  }
  const recent: Date[] = [];
  while (at !== undefined && at <= now) {
    recent.push(at);
    at = nextDue(schedule, at);
    if (recent.length <= MOST) continue;
    const [oldest] = recent.splice(0, 1);
    if (oldest) old = { first: old?.first ?? oldest, last: oldest, count: (old?.count ?? 0) + 1 };
  }
  return { old, recent, next: at };
}
