import type { Job } from "../../job/job.ts";
import type { InboxMark } from "../../store/inbox-done.ts";

/** All that the inbox is made from. */
export interface InboxFacts {
  /** Jobs with asks that nobody has answered. */
  asking: readonly Job[];
  /** The asks of these that somebody has answered meanwhile. */
  answered: ReadonlySet<string>;
  /** At work, and thought to be stuck. */
  stalled: readonly Job[];
  /** At work, and seem to make no progress. */
  circling: readonly Job[];
  paused: readonly Job[];
  failed: readonly Job[];
  /** Completed, and what they made is still to be looked at. */
  toReview: readonly Job[];
  missed: readonly MissedSchedule[];
  /** What agents were denied again and again, and no rule allows yet. */
  denied: readonly { agent: string; rule: string; times: number; since: string }[];
  /** Items of trackers that jobs work on, and about which a person may have changed their mind. */
  conflicts: readonly ItemConflict[];
  /** What a person took out of the inbox, as it was then. */
  done: readonly InboxMark[];
  /** Why the configuration cannot be used. */
  brokenConfig?: { file: string; message: string; since: string };
}

export interface ItemConflict {
  source: string;
  item: string;
  title: string;
  url: string;
  job: string;
  agent: string;
  why: string;
  since: string;
}

export interface MissedSchedule {
  agent: string;
  schedule: string;
  firstDue: string;
  due: string;
  count: number;
  reason: string | null;
  at: string;
}
