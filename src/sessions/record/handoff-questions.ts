import {
  type ClearingHandoff,
  type FailedHandoff,
  isAsked,
  type Known,
  type PendingHandoff,
  type SessionHandoff,
  type StoredHandoff,
} from "./handoff-state.ts";

/** Whether what is on record by now is the handoff that somebody began with, and no later one. */
export function isSameHandoff(handoff: Known, begun: Pick<SessionHandoff, "number">): boolean {
  return handoff?.number === begun.number;
}

/** Whether this is the request that was recorded at this time, and no later one. */
export function isAskedSince(handoff: Known, at: string | undefined): boolean {
  return isAsked(handoff) && handoff.at === at;
}

/** Whether this is the handoff that was cancelled at this time. */
export function isCancelledSince(handoff: Known, at: string | undefined): boolean {
  return handoff?.state === "cancelled" && handoff.at === at;
}

/** The newest document that there is of it. Of one that is asked for, the one before is another's. */
export function documentOf(handoff: Known): string | undefined {
  if (isAsked(handoff)) return handoff.fromFacts?.documentPath;
  return handoff?.state === "cancelled" && handoff.unwritten ? undefined : handoff?.documentPath;
}

/** Whether what is in the window now is in no document: a compaction would lose it. */
export function tellsNothingNow(handoff: Known): boolean {
  if (!handoff || isAsked(handoff) || handoff.state === "cancelled" || hasGoneOn(handoff)) return true;
  return "outlived" in handoff && handoff.outlived === true;
}

/** Its document is on disk, and the next session has not begun. */
export function isOnItsWay(handoff: Known): handoff is StoredHandoff | ClearingHandoff {
  return handoff?.state === "stored" || handoff?.state === "clearing";
}

/** From the request on, until the next session has begun or a person must start it. */
export function isHandingOff(handoff: Known): boolean {
  return isAsked(handoff) || isOnItsWay(handoff);
}

export function hasGoneOn(handoff: Known): boolean {
  return handoff != null && "wentOn" in handoff && handoff.wentOn === true;
}

/** A session is asked once for each window that it fills, and again where the person continued before it was cleared. */
export function isHandedOff(handoff: Known): boolean {
  if (!handoff || ("outlived" in handoff && handoff.outlived)) return false;
  return !(hasGoneOn(handoff) && isOnItsWay(handoff));
}

export function mayBeCleared(handoff: Known): handoff is StoredHandoff | ClearingHandoff | FailedHandoff {
  return (isOnItsWay(handoff) || handoff?.state === "failed") && !handoff.wentOn;
}

/** Whether the session that comes next in its place gets the document. */
export function isForTheNext(handoff: Known): handoff is StoredHandoff | ClearingHandoff | PendingHandoff {
  return (isOnItsWay(handoff) || handoff?.state === "pending") && !handoff.wentOn;
}

/** Whether the next account is the second one for it, and is completed from facts where it falls short. */
export function hasHadAccount(handoff: Known): boolean {
  return handoff?.state === "stored" || (isAsked(handoff) && handoff.again !== undefined);
}

/** The next session, where it is known. */
export function successorOf(handoff: Known): string | undefined {
  return handoff && "successor" in handoff ? handoff.successor : undefined;
}

const CUT_OFF_MS = 90_000;

/** Nobody takes so long to get on with a handoff, unless they wait for a prompt: whoever was at it is gone. */
export function isCutOff({ at }: SessionHandoff, now: string): boolean {
  return Date.parse(now) - Date.parse(at) > CUT_OFF_MS;
}
