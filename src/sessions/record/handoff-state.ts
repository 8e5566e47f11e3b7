import type {
  AskedHandoff,
  CancelledHandoff,
  ClearingHandoff,
  FailedHandoff,
  HandoffPlace,
  Hindrance,
  Known,
  PassedOn,
  PendingHandoff,
  Seen,
  SessionHandoff,
  StoredHandoff,
  TakenUpHandoff,
} from "./handoff.ts";

export type * from "./handoff.ts";

/** A session that handed off, continued all the same and hands off again is followed by itself; else its parent comes before. */
export function placeOf(handoff: Known, ofParent: Known): HandoffPlace {
  const before = handoff?.documentPath ? handoff : ofParent;
  const resumed = handoff?.state === "asked" || handoff?.state === "failed" ? handoff : undefined;
  const isUnwritten = isAsked(handoff) || (handoff?.state === "cancelled" && handoff.unwritten);
  return {
    number: isUnwritten ? handoff.number : (before?.number ?? 0) + 1,
    previous: before?.documentPath ?? null,
    trigger: resumed?.trigger ?? "manual",
    ...(resumed?.focus && { focus: resumed.focus }),
    ...(resumed?.atRest && { atRest: true }),
  };
}

/** The session is asked for it. The document before it stays on record, and so does what Baton wrote for it by itself. */
export function asked(
  { previous, ...place }: HandoffPlace,
  at: string,
  { seen, before }: { seen?: Seen | undefined; before?: Known } = {},
): AskedHandoff {
  const fromFacts = isAsked(before) ? before.fromFacts : undefined;
  return {
    ...place,
    state: "asked",
    at,
    ...(previous !== null && { documentPath: previous }),
    ...(seen && { seen }),
    ...(fromFacts && { fromFacts }),
  };
}

/** Its account falls short, and the session is asked once more. */
export function askedAgain(
  place: HandoffPlace,
  missing: readonly string[],
  at: string,
  before?: Known,
): AskedHandoff {
  const seen = isAsked(before) ? before.seen : undefined;
  return { ...asked(place, at, { seen, before }), again: missing };
}

/** The agent ended its turn without handing over. Undefined where that was said, or is not so. */
export function leftUnanswered(handoff: Known): AskedHandoff | undefined {
  if (handoff?.state !== "asked" || handoff.unanswered) return undefined;
  const { interrupted: _interrupted, ...rest } = handoff;
  return { ...rest, unanswered: true };
}

/** Between two requests to an agent that ignores them, in per cent of the window. */
export const ASKED_AGAIN_AFTER = 5;

/** Whether a request is made again that was ignored, or cut short, now that the window is so full. */
export function isAskedAgainAt(handoff: Known, percent: number): boolean {
  const isFuller = () => handoff != null && percent >= (seenAt(handoff)?.percent ?? 0) + ASKED_AGAIN_AFTER;
  if (handoff?.state === "cancelled") return isFuller();
  if (handoff?.state !== "asked") return false;
  return handoff.interrupted === true || (handoff.unanswered === true && isFuller());
}

function seenAt(handoff: SessionHandoff): Seen | undefined {
  return "seen" in handoff ? handoff.seen : undefined;
}

/** Baton has written a document by itself. Where nobody was asked for one, there is nothing that was not answered. */
export function withFacts(
  handoff: Known,
  place: HandoffPlace,
  fromFacts: NonNullable<AskedHandoff["fromFacts"]>,
  at: string,
): AskedHandoff {
  const known = isAsked(handoff)
    ? handoff
    : { ...asked({ ...place, trigger: "overflow" }, at), unanswered: true as const };
  return { ...known, fromFacts };
}

export function stored(
  { previous: _previous, ...place }: HandoffPlace,
  documentPath: string,
  at: string,
): StoredHandoff {
  return { ...place, state: "stored", at, documentPath };
}

/** Its document is stored, but something must be seen to before the session may end. */
export function stopped(
  place: HandoffPlace,
  documentPath: string,
  reason: string,
  at: string,
): FailedHandoff {
  return { ...stored(place, documentPath, at), state: "failed", reason };
}

/** The session cannot be cleared yet. Undefined where nobody is about to. */
export function waiting(handoff: Known, waitsFor: Hindrance): StoredHandoff | undefined {
  return handoff?.state === "stored" ? { ...handoff, waitsFor } : undefined;
}

/** Somebody has begun to pass it on. Undefined where there is nothing to pass on any more, or not yet. */
export function clearing(handoff: Known, at: string, successor?: string): ClearingHandoff | undefined {
  const kept = passedOn(handoff, at);
  return kept && { ...kept, state: "clearing", ...(successor !== undefined && { successor }) };
}

/** It is left to a person. Undefined where there is nothing to pass on any more, or not yet. */
export function pending(handoff: Known, reason: string, at: string): PendingHandoff | undefined {
  const kept = passedOn(handoff, at);
  return kept && { ...kept, state: "pending", reason };
}

/** It cannot be passed on as things are. Undefined where there is nothing to pass on any more, or not yet. */
export function failed(handoff: Known, reason: string, at: string): FailedHandoff | undefined {
  const kept = passedOn(handoff, at);
  return kept && { ...kept, state: "failed", reason };
}

/**
 * What stays as it was at a step of passing it on, which is never written over what the next session's hook has recorded
 * meanwhile. Why it stood as it did is over with that. A session that is being asked has nothing to pass on yet: the
 * document that it names is that of the handoff before.
 */
function passedOn(handoff: Known, at: string): PassedOn | undefined {
  switch (handoff?.state) {
    case undefined:
    case "asked":
    case "taken-up":
    case "cancelled":
      return undefined;
    case "stored": {
      const { state: _state, waitsFor: _waitsFor, ...kept } = handoff;
      return { ...kept, at };
    }
    case "clearing": {
      const { state: _state, ...kept } = handoff;
      return { ...kept, at };
    }
    case "pending":
    case "failed": {
      const { state: _state, reason: _reason, ...kept } = handoff;
      return { ...kept, at };
    }
  }
}

/** A session continues from the document, whatever became of it before, or though nobody had asked for it. */
export function takenUp(
  handoff: Known,
  { successor, documentPath, at }: Pick<TakenUpHandoff, "successor" | "at"> & { documentPath: string },
): TakenUpHandoff {
  switch (handoff?.state) {
    case undefined:
      return { state: "taken-up", at, number: 1, trigger: "threshold", documentPath, successor };
    case "asked": {
      const { again: _again, unanswered: _unanswered, interrupted: _interrupted, ...rest } = handoff;
      const { seen: _seen, fromFacts, ...begun } = rest;
      const written = fromFacts && { documentPath: fromFacts.documentPath };
      return { documentPath, ...begun, ...written, state: "taken-up", successor };
    }
    case "stored": {
      const { waitsFor: _waitsFor, ...rest } = handoff;
      return { ...rest, state: "taken-up", successor };
    }
    case "clearing":
    case "pending":
    case "failed":
    case "taken-up":
      return { ...handoff, state: "taken-up", successor };
    case "cancelled": {
      const { unwritten: _unwritten, seen: _seen, told: _told, ...rest } = handoff;
      return { documentPath, ...rest, state: "taken-up", successor };
    }
  }
}

/**
 * The person does not want it, or not now. Undefined where there is none that could be cancelled: one that is being passed
 * on has begun to clear the session, and one that waits for a person is dismissed instead.
 */
export function cancelled(handoff: Known, at: string, seen?: Seen): CancelledHandoff | undefined {
  switch (handoff?.state) {
    case undefined:
    case "clearing":
    case "pending":
    case "taken-up":
    case "cancelled":
      return undefined;
    case "asked": {
      const { number, trigger, documentPath } = handoff;
      const before = documentPath === undefined ? {} : { documentPath };
      return { state: "cancelled", at, number, trigger, ...before, unwritten: true, ...(seen && { seen }) };
    }
    case "stored":
    case "failed": {
      const { number, trigger, documentPath } = handoff;
      return { state: "cancelled", at, number, trigger, documentPath, ...(seen && { seen }) };
    }
  }
}

/** What a person says after a handoff is in no document. Where one failed, they may say that it can be passed on now. */
export function afterPrompt(handoff: SessionHandoff | null): SessionHandoff | null {
  switch (handoff?.state) {
    case "stored":
    case "clearing":
    case "pending":
      return wentOn(handoff);
    case "asked": {
      // An agent that was asked at its stop answers before it stops again: whoever speaks first has interrupted it. What a
      // person asked for and then interrupted, they did not want.
      const isOwn = handoff.trigger === "threshold" || handoff.trigger === "forecast";
      return isOwn && !handoff.unanswered ? { ...handoff, interrupted: true } : handoff;
    }
    case "cancelled":
      return { ...handoff, told: true };
    case undefined:
    case "failed":
    case "taken-up":
      return handoff;
  }
}

/** The person continued, and the document does not tell it. */
export function wentOn<T extends Exclude<SessionHandoff, AskedHandoff | CancelledHandoff>>(handoff: T): T {
  return { ...handoff, wentOn: true };
}

/** The person does not want it picked up: it waits for nobody, and the session can be handed over again. */
export function dismissed(handoff: Known): PendingHandoff | undefined {
  return handoff?.state === "pending" ? { ...handoff, wentOn: true, outlived: true } : undefined;
}

/** Why a handoff waits that Baton wrote before a compaction. */
export const COMPACTED = "the session was compacted, and continued";

/**
 * A request for a handoff does not survive a compaction, but what was written for it does. A window that fills again can be
 * handed over again.
 */
export function afterCompaction(handoff: SessionHandoff | null): SessionHandoff | null {
  switch (handoff?.state) {
    case undefined:
      return null;
    case "asked": {
      const { at, number, trigger, fromFacts } = handoff;
      if (!fromFacts) return null;
      const written = { at, number, trigger, documentPath: fromFacts.documentPath };
      return { ...written, state: "pending", reason: COMPACTED, wentOn: true, outlived: true };
    }
    case "pending":
    case "failed":
      return { ...handoff, outlived: true };
    case "cancelled": {
      const { seen: _seen, ...rest } = handoff;
      return rest;
    }
    case "stored":
    case "clearing":
    case "taken-up":
      return handoff;
  }
}

export function isAsked(handoff: Known): handoff is AskedHandoff {
  return handoff?.state === "asked";
}
