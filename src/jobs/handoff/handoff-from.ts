import type { EndedCall } from "../../handoff/continuation.ts";
import type { HandoffTrigger } from "../../handoff/document.ts";
import type { SwitchReason } from "../../job/events.ts";
import type { Leg } from "../run/leg.ts";
import type { WantedHandoff, WorkTrigger } from "../run/leg-end.ts";
import type { LiveSession } from "../run/live-session.ts";

/** Work that is under way. It continues if the handoff is called off. */
export interface FromWork extends WantedHandoff {
  kind: "work";
  leg: Leg;
  trigger: WorkTrigger;
  /** A person is to speak next: until they do, no session is told to continue. */
  waits: boolean;
}

/** Where a handoff comes from: a session at work, or what is left of one. */
export type HandoffFrom =
  | FromWork
  /** The user's own hooks have passed on what they wanted to, so the session is not asked for an account. */
  | { kind: "by-hook"; leg: Leg; trigger: WorkTrigger; waits: boolean }
  /** A session that is resumed for nothing but the handoff that was cut off in it. `ended`: what its program does not know. */
  | { kind: "resumed"; live: LiveSession; ended: readonly EndedCall[] }
  /** The same where a person can call it off, and says what comes after it. */
  | { kind: "resumed-attended"; leg: Leg; ended: readonly EndedCall[] }
  /** Nothing fits into its window any more. */
  | { kind: "overflowed"; live: LiveSession }
  /** Its agent cannot work any more, and another one takes over, which is on record. */
  | { kind: "cut-off"; live: LiveSession; reason: SwitchReason }
  /**
   * Its program is not started again: its transcript is gone, it has no room left, or the job is not to continue now. `lost`:
   * it had handed over and its document is deleted, or its program can resume no session.
   */
  | {
      kind: "gone";
      session: string;
      trigger: keyof typeof WHY_GONE;
      lost?: keyof typeof WHY_LOST;
      waits: boolean;
    };

const OVERFLOWED = "the next request was too large, so the session could no longer write anything";

/** Why nobody is asked. */
const WHY_GONE = {
  overflow: OVERFLOWED,
  lost: "the transcript of the session is gone",
  manual: "the session does not run any more",
  switch: "its agent could not work any more, so the session could no longer write anything",
} as const;

const WHY_LOST = {
  document: "the session had handed over, and its document is deleted",
  resume: "the session was cut off, and its program cannot resume one",
} as const;

const WHY_CUT_OFF: Partial<Record<SwitchReason, string>> = {
  usage_limit: "the usage limit of its agent was reached, so the session could no longer write anything",
  api_failing: "the API of its agent kept failing, so the session could no longer write anything",
  no_access: "its agent had lost its sign-in, so the session could no longer write anything",
};

/** The session whose program runs. */
export function liveOf(from: Exclude<HandoffFrom, { kind: "gone" }>): LiveSession {
  return "leg" in from ? from.leg.live : from.live;
}

export function sessionOf(from: HandoffFrom): string {
  return from.kind === "gone" ? from.session : liveOf(from).id;
}

export function triggerOf(from: HandoffFrom): HandoffTrigger {
  if ("trigger" in from) return from.trigger;
  switch (from.kind) {
    case "overflowed":
      return "overflow";
    case "cut-off":
      return "switch";
    case "resumed":
    case "resumed-attended":
      return "resume";
  }
}

/** The work that continues if the handoff is called off. */
export function workOf(from: HandoffFrom): Leg | undefined {
  return "leg" in from ? from.leg : undefined;
}

export function waitsAfter(from: HandoffFrom): boolean {
  return "waits" in from ? from.waits : from.kind === "resumed-attended";
}

interface Asked {
  live: LiveSession;
  focus?: string | undefined;
  byAgent?: boolean;
  ended?: readonly EndedCall[];
}

/** Who is asked for the account; or why nobody is. */
export function accountAskedOf(from: HandoffFrom): Asked | { why: string; byHook: boolean } {
  switch (from.kind) {
    case "work":
      return { live: from.leg.live, focus: from.focus, byAgent: from.trigger === "agent" };
    case "resumed":
    case "resumed-attended":
      return { live: liveOf(from), ended: from.ended };
    case "by-hook":
      return {
        why: "the hooks of on_context_threshold take the place of the session's account",
        byHook: true,
      };
    case "overflowed":
      return { why: OVERFLOWED, byHook: false };
    case "cut-off":
      return { why: WHY_CUT_OFF[from.reason] ?? WHY_GONE.switch, byHook: false };
    case "gone":
      return { why: whyGone(from), byHook: false };
  }
}

function whyGone({ trigger, lost }: Extract<HandoffFrom, { kind: "gone" }>): string {
  return lost ? WHY_LOST[lost] : WHY_GONE[trigger];
}
