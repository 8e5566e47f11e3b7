import type { Threshold } from "../../config/reader/threshold.ts";
import { decide, isLastTurn } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import { hasGoneOn, isHandedOff, isHandingOff, isOnItsWay } from "../record/handoff-questions.ts";
import { type AskedHandoff, isAsked, isAskedAgainAt, leftUnanswered } from "../record/handoff-state.ts";
import { type ContextFigure, type OwnSession, PROCESS_GONE } from "../record/session.ts";

/** What a project says about looking after its sessions. */
export interface WatchSettings {
  /** False: windows are left to the agent program's own compaction. */
  enabled: boolean;
  threshold: Threshold;
  warnAt: readonly number[];
  /** How long a session may show no sign of life while it should work. */
  stallMs: number;
  orchestrator: { checkIntervalMs?: number; message: string; threshold: Threshold };
}

/** What a look at a session showed. */
export interface Sight {
  session: OwnSession;
  alive: boolean;
  figure: ContextFigure | null;
  /** Where the agent program would compact it by itself; undefined where it does not, or nobody knows the window. */
  compactsAt: number | undefined;
  hooksMissing: boolean;
  /** It is the model's turn, and since when nothing has come. */
  owedSince: number | undefined;
  /** When it was last sent a check message, it or the one whose work it continues. */
  checkedAt: number | undefined;
  /** When a stall was last told, and when a cycle was last started for it. */
  stallToldAt: number | undefined;
  cycledAt: number | undefined;
  /** It was told that the window is full and nothing can be typed into it. */
  fullTold: boolean;
  /** The agent has answered a request for a handoff in words, because it has no tool for it. */
  answered: boolean;
}

export type WatchAct =
  | { act: "end"; reason: string }
  | { act: "cycle" }
  | { act: "store" }
  | { act: "warn"; level: number }
  | { act: "ask"; trigger: "threshold" | "forecast" }
  /** The agent did not answer, and its document is to be written without it. */
  | { act: "facts" }
  | { act: "check" }
  | { act: "full" }
  | { act: "stalled" };

/** The hook of a stop starts the cycle at once. What is older was missed, or cut off. */
const MISSED_MS = 15_000;
const CYCLE_AGAIN_MS = 2 * 60_000;
/** A handoff that was picked up longer ago is nobody's business any more. */
const GO_ON_MS = 30 * 60_000;

/**
 * What to do for a session now: mostly nothing. Its own hooks come first, and are only stood in for: where they
 * are missing, or cannot see how full the window is because the transcript does not tell.
 */
export function watchDecision(sight: Sight, settings: WatchSettings, now: number): WatchAct[] {
  const { session, alive } = sight;
  const cycle: WatchAct[] = cycleIsDue(sight, now) ? [{ act: "cycle" }] : [];
  if (session.ended) return cycle;
  if (!alive) return [{ act: "end", reason: PROCESS_GONE }, ...cycle];
  if (sight.answered && isAsked(session.handoff)) return [{ act: "store" }];
  if (cycle.length > 0) return cycle;
  return [...(settings.enabled ? forItsWindow(sight, settings, now) : []), ...stall(sight, settings, now)];
}

/** Ended ones only matter while their handoff is on its way. */
export function isOpen({ ended, handoff }: OwnSession, now: number): boolean {
  if (ended === null) return true;
  if (handoff?.state === "taken-up") return now - Date.parse(handoff.at) < GO_ON_MS;
  return isOnItsWay(handoff);
}

function cycleIsDue({ session, cycledAt }: Sight, now: number): boolean {
  const { handoff } = session;
  if (!handoff || hasGoneOn(handoff) || (cycledAt !== undefined && now - cycledAt < CYCLE_AGAIN_MS))
    return false;
  const age = now - Date.parse(handoff.at);
  if (age < MISSED_MS) return false;
  switch (handoff.state) {
    case "stored":
    case "clearing":
      return true;
    case "taken-up":
      return age < GO_ON_MS && cycledAt === undefined;
    case "asked":
    case "pending":
    case "failed":
    case "cancelled":
      return false;
  }
}

function forItsWindow(sight: Sight, settings: WatchSettings, now: number): WatchAct[] {
  const { session, figure, compactsAt, hooksMissing } = sight;
  const due = checkIsDue(sight, settings, now);
  if (!figure) return due && session.handoff === null ? [{ act: "check" }] : [];
  const { orchestrator, warnAt } = settings;
  const threshold = session.role === "orchestrator" ? orchestrator.threshold : settings.threshold;
  const blind = hooksMissing || figure.source !== "transcript";
  const ignored = blind && !sight.answered ? leftAlone(sight, now) : null;
  const state = stateOf(figure, compactsAt);
  if (ignored && !ignored.fromFacts && isLastTurn(state, compactsAt !== undefined)) return [{ act: "facts" }];
  const cancelled = session.handoff?.state === "cancelled" ? session.handoff : null;
  const handedOff = isHandedOff(session.handoff) && !isAskedAgainAt(ignored ?? cancelled, figure.percent);
  const decision = decide(state, { threshold, warnAt }, { handedOff, warned: session.warned });
  switch (decision.action) {
    case "hand-off":
      if (!blind && !due) return [];
      if (session.pane) return [{ act: "ask", trigger: decision.trigger }];
      return sight.fullTold ? [] : [{ act: "full" }];
    case "warn":
      return [...(blind ? [{ act: "warn", level: decision.level } as const] : []), ...check(sight, due)];
    case "none":
      return check(sight, due);
  }
}

const ANSWER_MS = 60_000;

/** The request that an agent has not answered, though it has had its turn: no hook says so. */
function leftAlone({ session, owedSince }: Sight, now: number): AskedHandoff | null {
  const { handoff } = session;
  if (!isAsked(handoff) || owedSince !== undefined || now - Date.parse(handoff.at) < ANSWER_MS) return null;
  return leftUnanswered(handoff) ?? handoff;
}

/** Not while it is handing off: the session after the clear is asked. */
function check({ session }: Sight, due: boolean): WatchAct[] {
  return due && !isHandingOff(session.handoff) ? [{ act: "check" }] : [];
}

function checkIsDue({ session, checkedAt }: Sight, { orchestrator }: WatchSettings, now: number): boolean {
  const { checkIntervalMs } = orchestrator;
  if (session.role !== "orchestrator" || !session.pane || checkIntervalMs === undefined) return false;
  return now - (checkedAt ?? Date.parse(session.startedAt)) >= checkIntervalMs;
}

function stall({ owedSince, stallToldAt }: Sight, { stallMs }: WatchSettings, now: number): WatchAct[] {
  const isStalled = owedSince !== undefined && now - owedSince > stallMs;
  return isStalled && (stallToldAt ?? 0) < owedSince ? [{ act: "stalled" }] : [];
}

/** A figure that the transcript did not tell counts like one that it did. */
function stateOf(
  { tokens, window, growth, turns, model }: ContextFigure,
  compactsAt: number | undefined,
): ContextState {
  return {
    ...initialContext({}),
    model,
    tokens,
    peak: tokens,
    turns,
    growth,
    window: { tokens: window, source: "table" },
    autoCompactThreshold: compactsAt,
  };
}
