import type { OwnSession, SessionHandoff } from "../record/session.ts";

/** What is known of a handoff before its account has come. */
export interface HandoffPlace extends Required<Pick<SessionHandoff, "number" | "trigger">> {
  /** The document before it, within the chain of sessions. */
  previous: string | null;
  focus?: string;
}

/** A session that handed off, went on all the same and hands off again is followed by itself; else its parent comes before. */
export function placeOf({ handoff }: OwnSession, parent: OwnSession | undefined): HandoffPlace {
  const asked = handoff?.state === "asked";
  const goesOn = asked || handoff?.state === "failed";
  const before = handoff?.documentPath ? handoff : parent?.handoff;
  return {
    number: asked ? handoff.number : (before?.number ?? 0) + 1,
    previous: before?.documentPath ?? null,
    trigger: goesOn ? (handoff.trigger ?? "threshold") : "manual",
    ...(goesOn && handoff.focus && { focus: handoff.focus }),
  };
}

/** That the session is asked for it. The document before it stays on record, for the next one to name it. */
export function askedFor({ previous, ...place }: HandoffPlace, at: string): SessionHandoff {
  return { ...place, state: "asked", at, ...(previous !== null && { documentPath: previous }) };
}
