import { inWords } from "../config/reader/duration.ts";
import type { JournalEvent } from "./events.ts";
import { isAtWork, type Job } from "./job.ts";

/** What the time of a job goes to, in the order in which it is shown. */
export const TIME_KINDS = [
  "model",
  "tools",
  "handoffs",
  "setup",
  "slot",
  "limit",
  "retries",
  "person",
  "stopped",
  "asleep",
] as const;

export type TimeKind = (typeof TIME_KINDS)[number];

/** In milliseconds. What took none is missing. */
export type TimeSplit = Partial<Record<TimeKind, number>>;

/** Where the time of a job went, up to its last event. */
export interface TimeSpent {
  split: TimeSplit;
  /** Until then it waits before it asks the model again. */
  retryAt?: string;
  /** For how long it has rested: that counts as soon as it is continued. */
  restedMs?: number;
}

/** What an event adds. `before`: the job without it. A job that an earlier version began does not tell all, so it tells nothing. */
export function timeAfter(before: Job, event: JournalEvent): Pick<Job, "time"> {
  if (event.type === "job:created") return { time: { split: {} } };
  if (!before.time || event.type === "journal:compacted") return {};
  const byMs = event.type === "clock:moved" ? event.byMs : 0;
  const until = Date.parse(event.at) - byMs;
  const ms = Math.max(0, until - Date.parse(before.updatedAt));
  const spent = withMore(before.time, "asleep", Math.max(0, byMs));
  const time = after(spent, kindBefore(before, event), ms, until);
  if (event.type !== "retry") return { time };
  return { time: { ...time, retryAt: new Date(Date.parse(event.at) + event.delayMs).toISOString() } };
}

/** The same up to now, where it has not come to rest. */
export function timeSplitAt(job: Job, now: Date): TimeSplit | undefined {
  if (!job.time) return undefined;
  const isGoing = isAtWork(job) || job.status === "queued" || kindOf(job) === "person";
  if (!isGoing) return job.time.split;
  const ms = Math.max(0, now.getTime() - Date.parse(job.updatedAt));
  return after(job.time, kindOf(job), ms, now.getTime()).split;
}

export function sumOfTimes(a: TimeSplit, b: TimeSplit): TimeSplit {
  const sum: TimeSplit = {};
  for (const kind of TIME_KINDS) {
    const ms = (a[kind] ?? 0) + (b[kind] ?? 0);
    if (ms > 0) sum[kind] = ms;
  }
  return sum;
}

/** From the moment that somebody wanted it: without the time in which it had stopped, or the machine slept. */
export function totalTime({ stopped: _, asleep: __, ...counted }: TimeSplit): number {
  return Object.values(counted).reduce((sum, ms) => sum + ms, 0);
}

export const TIME_IN_WORDS: Record<TimeKind, string> = {
  model: "model",
  tools: "tools",
  handoffs: "handoffs",
  setup: "setup and closing",
  slot: "waiting for a slot",
  limit: "waiting for a limit",
  retries: "waiting to retry",
  person: "waiting for you",
  stopped: "stopped",
  asleep: "machine asleep",
};

const SHORTEST_SHOWN_MS = 500;

/** `model 12 min, tools 4 min, waiting for a slot 2 min`, the longest first. */
export function timeInWords(split: TimeSplit): string {
  return TIME_KINDS.map((kind) => ({ kind, ms: split[kind] ?? 0 }))
    .filter(({ ms }) => ms >= SHORTEST_SHOWN_MS)
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ kind, ms }) => `${TIME_IN_WORDS[kind]} ${inWords(ms)}`)
    .join(", ");
}

function after(spent: TimeSpent, kind: TimeKind, ms: number, until: number): TimeSpent {
  if (kind === "stopped") return { ...spent, restedMs: (spent.restedMs ?? 0) + ms };
  const { restedMs: _, ...going } = withMore(spent, "stopped", spent.restedMs ?? 0);
  if (kind !== "model" || going.retryAt === undefined) return withMore(going, kind, ms);
  const { retryAt, ...rest } = going;
  const waitedMs = Math.min(ms, Math.max(0, Date.parse(retryAt) - (until - ms)));
  const time = withMore(withMore(rest, "retries", waitedMs), "model", ms - waitedMs);
  return until < Date.parse(retryAt) ? { ...time, retryAt } : time;
}

function withMore(spent: TimeSpent, kind: TimeKind, ms: number): TimeSpent {
  if (ms === 0) return spent;
  return { ...spent, split: { ...spent.split, [kind]: (spent.split[kind] ?? 0) + ms } };
}

/** What the time just before an event went to. */
function kindBefore(job: Job, event: JournalEvent): TimeKind {
  switch (event.type) {
    case "job:interrupted":
    case "job:queued":
    case "job:started":
    case "job:resumed":
      // Nobody knows when its owner died, but nothing was done since its last event.
      return isAtWork(job) ? "stopped" : kindOf(job);
    case "tool:permitted":
      return "person";
    case "tool:denied":
      return event.byPerson ? "person" : kindOf(job);
    default:
      return kindOf(job);
  }
}

/** What a job does, as it stands. */
function kindOf(job: Job): TimeKind {
  switch (job.status) {
    case "created":
      return "setup";
    case "queued":
      return "slot";
    case "waiting":
      return job.waiting ? "limit" : "setup";
    case "running":
      return kindAtWork(job);
    case "completed":
    case "failed":
    case "cancelled":
    case "interrupted":
      return "stopped";
    case "paused":
      return job.pauseCode === "asking" || job.pauseCode === "awaiting" ? "person" : "stopped";
  }
}

function kindAtWork({ pendingHandoff, handoffs, closing, activeSince, tools, sessions }: Job): TimeKind {
  const isBetween = handoffs.at(-1)?.toSession === null;
  if (pendingHandoff || isBetween) return "handoffs";
  if (closing) return "setup";
  if (activeSince === null) return "person";
  if (tools.length > 0) return "tools";
  const last = sessions.at(-1);
  return !last || last.lastMessage === null ? "setup" : "model";
}
