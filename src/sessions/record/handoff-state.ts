import type { HandoffTrigger } from "../../handoff/document.ts";

/** What is known of a handoff before its account has come. */
export interface HandoffPlace {
  /** Within the chain of sessions that picked the work up from one another. */
  readonly number: number;
  /** Who wanted it. */
  readonly trigger: HandoffTrigger;
  readonly focus?: string;
  /** The document before it, within that chain. */
  readonly previous: string | null;
}

interface Begun extends Omit<HandoffPlace, "previous"> {
  readonly at: string;
}

/** How full the window was when a session was asked. */
export interface Seen {
  readonly percent: number;
  readonly turns: number;
}

/** The agent was told to submit it. */
export interface AskedHandoff extends Begun {
  readonly state: "asked";
  /** The document before it, for the next one to name it. */
  readonly documentPath?: string;
  /** What the first account lacked: the agent was told, and its next one is completed from facts. */
  readonly again?: readonly string[];
  readonly seen?: Seen;
  /** The person was told that the agent did not do what it was asked for. */
  readonly unanswered?: true;
  /** The person interrupted it before it could. */
  readonly interrupted?: true;
  /** What Baton wrote by itself meanwhile, after how many turns, because the program was about to compact the session. */
  readonly fromFacts?: { readonly documentPath: string; readonly turns: number };
}

interface Written extends Begun {
  readonly documentPath: string;
  /** The person continued in the session, although its handoff waits for the next one. */
  readonly wentOn?: true;
}

/** It is on disk, checked. */
export interface StoredHandoff extends Written {
  readonly state: "stored";
}

interface PassedOn extends Written {
  /** The next session, where it was named before it began. */
  readonly successor?: string;
  /** It was made before the session was compacted: the window that fills now can be handed over again. */
  readonly outlived?: true;
}

/** The pane is being cleared, or the next session started. */
export interface ClearingHandoff extends PassedOn {
  readonly state: "clearing";
}

/** A person must start the next session. */
export interface PendingHandoff extends PassedOn {
  readonly state: "pending";
  readonly reason: string;
}

/** A person must see to something before the session can be cleared. */
export interface FailedHandoff extends PassedOn {
  readonly state: "failed";
  readonly reason: string;
}

/** The next session has it. */
export interface TakenUpHandoff extends Omit<PassedOn, "documentPath"> {
  readonly state: "taken-up";
  readonly successor: string;
  /** The first versions of Baton did not record it of a session that was not handing off. */
  readonly documentPath?: string;
  /** Why it had waited for a person. */
  readonly reason?: string;
}

/** The handoff that a session is in the middle of. It is on disk as it is here. */
export type SessionHandoff =
  | AskedHandoff
  | StoredHandoff
  | ClearingHandoff
  | PendingHandoff
  | FailedHandoff
  | TakenUpHandoff;

/** What may stand on record of a session: a handoff or none. */
export type Known = SessionHandoff | null | undefined;

/** A session that handed off, continued all the same and hands off again is followed by itself; else its parent comes before. */
export function placeOf(handoff: Known, ofParent: Known): HandoffPlace {
  const before = handoff?.documentPath ? handoff : ofParent;
  const resumed = handoff?.state === "asked" || handoff?.state === "failed" ? handoff : undefined;
  return {
    number: handoff?.state === "asked" ? handoff.number : (before?.number ?? 0) + 1,
    previous: before?.documentPath ?? null,
    trigger: resumed?.trigger ?? "manual",
    ...(resumed?.focus && { focus: resumed.focus }),
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
const LEVEL = 5;

/** Whether a request is made again that was ignored, or cut short, now that the window is so full. */
export function isAskedAgainAt(handoff: Known, percent: number): boolean {
  if (handoff?.state !== "asked") return false;
  if (handoff.interrupted) return true;
  return handoff.unanswered === true && percent >= (handoff.seen?.percent ?? 0) + LEVEL;
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
      return undefined;
    case "stored":
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
    case "stored":
    case "clearing":
    case "pending":
    case "failed":
    case "taken-up":
      return { ...handoff, state: "taken-up", successor };
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
    case undefined:
    case "failed":
    case "taken-up":
      return handoff;
  }
}

/** The person continued, and the document does not tell it. */
export function wentOn<T extends Exclude<SessionHandoff, AskedHandoff>>(handoff: T): T {
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
    case "stored":
    case "clearing":
    case "taken-up":
      return handoff;
  }
}

export function isAsked(handoff: Known): handoff is AskedHandoff {
  return handoff?.state === "asked";
}
