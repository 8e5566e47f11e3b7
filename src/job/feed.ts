import { type Description, describe } from "./describe.ts";
import type { JobEventType, JournalEvent } from "./events.ts";

/** What people hear of who follow many jobs: what begins, ends, is passed on, or goes wrong. Not what agents say and do. */
export const FEED_TYPES: readonly JobEventType[] = [
  "job:queued",
  "job:started",
  "job:resumed",
  "job:interrupted",
  "job:completed",
  "job:failed",
  "job:paused",
  "job:cancelled",
  "job:reported",
  "workspace:waiting",
  "workspace:command",
  "workspace:pushed",
  "workspace:proposed",
  "workspace:kept",
  "context:warning",
  "handoff:stored",
  "handoff:failed",
  "handoff:refused",
  "agent:switched",
  "limit:waiting",
  "limit:over",
  "retry",
  "tool:denied",
  "ask:made",
  "ask:answered",
  "ask:withdrawn",
  "ask:expired",
  "hook",
  "box:denied",
  "warning",
];

/** What goes on beside the work is only worth a line where it goes wrong. */
const ONLY_TROUBLE: ReadonlySet<JobEventType> = new Set(["hook", "workspace:command"]);

/** A full window is passed on, and what was cancelled, somebody cancelled. */
const NO_PROBLEM: ReadonlySet<JobEventType> = new Set(["context:warning", "job:cancelled", "workspace:kept"]);

/** An event in the words of the feed. Undefined where it is not in it. `problems`: only what went wrong is. */
export function inFeed(event: JournalEvent, problems: boolean): Description | undefined {
  const told = describe(event);
  if (!told) return undefined;
  const isTrouble = told.tone === "bad" || told.tone === "caution";
  if (problems) return isTrouble && !NO_PROBLEM.has(event.type) ? told : undefined;
  return isTrouble || !ONLY_TROUBLE.has(event.type) ? told : undefined;
}
