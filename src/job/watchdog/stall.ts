import type { LifeSign } from "../events.ts";

/**
 * How far a silence has come. `quiet`: signs of life are looked for. `suspected`: there were none, and people are told.
 * `stalled`: there were none for as long as the user allows.
 */
export type Stage = "alive" | "quiet" | "suspected" | "stalled";

/** Shares of `session.stall_timeout`. */
const QUIET = 1 / 4;
const SUSPECTED = 1 / 2;
const BETWEEN_LOOKS = 1 / 8;
const MOST_BETWEEN_LOOKS_MS = 60_000;

/** `quietMs`: since the last sign of life. */
export function stageOf(quietMs: number, timeoutMs: number): Stage {
  if (quietMs >= timeoutMs) return "stalled";
  if (quietMs >= timeoutMs * SUSPECTED) return "suspected";
  return quietMs >= timeoutMs * QUIET ? "quiet" : "alive";
}

/** When to look next, counted from the last sign of life. `lookedMs`: when that was done last; undefined where it was not. */
export function nextLookMs(lookedMs: number | undefined, timeoutMs: number): number {
  if (lookedMs === undefined) return timeoutMs * QUIET;
  const between = Math.max(1, Math.min(timeoutMs * BETWEEN_LOOKS, MOST_BETWEEN_LOOKS_MS));
  const stages = [timeoutMs * SUSPECTED, timeoutMs].filter((at) => at > lookedMs);
  return Math.min(lookedMs + between, ...stages);
}

/** What has changed since the look before: undefined where that cannot be told. */
export type Changes = Readonly<Partial<Record<Exclude<LifeSign, "events">, boolean>>>;

/** Who looks for signs of life looks at the cheapest first, and stops at the first. */
const LOOKED_AT = ["processes", "git", "files"] as const;

export function signIn(changes: Changes): LifeSign | undefined {
  return LOOKED_AT.find((sign) => changes[sign]);
}

/** Where no sign of life was found. */
export function watchedIn(changes: Changes): LifeSign[] {
  return ["events", ...LOOKED_AT.filter((sign) => changes[sign] !== undefined)];
}
