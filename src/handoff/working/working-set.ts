import type { LineRange } from "../../agents/events.ts";

/** A word that was in hand: with what weight, and when last. */
export interface WorkingName {
  name: string;
  /** As it was at `at`. It halves every few calls. */
  weight: number;
  at: number;
  /** The window in which it was touched last. */
  window: number;
  /** Seen as code, and not only as a word of prose. */
  code: boolean;
  /** Where it was written or read last. */
  file?: string;
  /** It was defined or changed there. */
  changed?: boolean;
}

export interface WorkingFile {
  path: string;
  at: number;
  window: number;
  /** What was read of it, newest first; empty where it was read whole. */
  lines?: LineRange[];
}

/** A file that a tool printed the name of. */
export interface SeenPath {
  path: string;
  weight: number;
  at: number;
  window: number;
}

export interface Search {
  pattern: string;
  path?: string;
  at: number;
  window: number;
}

/** A test run that failed and has not passed since. */
export interface FailedRun {
  command: string;
  tests: string[];
  at: number;
  window: number;
}

/**
 * What the sessions had in hand last. Unlike other facts it fades: what no session has touched for two windows is gone.
 * Plain JSON, of a size that does not grow with the work.
 */
export interface WorkingSet {
  /** Tool calls so far, over all sessions. All `at` are counted so. */
  calls: number;
  /** Windows that were filled before this one, and the call at which this one began. */
  window: number;
  began: number;
  names: WorkingName[];
  files: WorkingFile[];
  seen: SeenPath[];
  searches: Search[];
  failures: FailedRun[];
}

/** Calls after which a weight is half of what it was. */
const HALF_LIFE = { name: 15, path: 40 } as const;

/** A session of fewer calls fills no window: ten that die at once must not make the work forgotten. */
const WINDOW_CALLS = 80;

/** For how many windows something stays that nobody touches. */
const WINDOWS_KEPT = 2;

export function noWorkingSet(): WorkingSet {
  return { calls: 0, window: 0, began: 0, names: [], files: [], seen: [], searches: [], failures: [] };
}

/** What a weight is by now. */
export function faded(weight: number, at: number, calls: number, kind: keyof typeof HALF_LIFE): number {
  return weight * 2 ** (-(calls - at) / HALF_LIFE[kind]);
}

/** Another session begins: a window is full, if the one before it did enough. */
export function nextWindow({ calls, window, began }: Clock): Clock {
  return calls - began < WINDOW_CALLS
    ? { calls, window, began }
    : { calls, window: window + 1, began: calls };
}

type Clock = Pick<WorkingSet, "calls" | "window" | "began">;

/** Whether something was touched in this window or in one of the two before it. */
export function isStillInHand({ window }: { window: number }, now: number): boolean {
  return now - window < WINDOWS_KEPT;
}
