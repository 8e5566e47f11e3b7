import type { Threshold } from "../config/reader/threshold.ts";
import type { ContextState } from "./tracker.ts";
import { percentUsed, tokensInUse } from "./tracker.ts";

const WARN_AT = [50, 60];
const HANDOFF_TOKENS = 8_000;
const MOST_OF_WINDOW_FOR_HANDOFF = 0.05;
const LEAST_MARGIN = 0.02;
const MOST_MARGIN = 0.5;
const LEAST_TURNS_BETWEEN_HANDOFFS = 3;

export interface HandoffPolicy {
  threshold: Threshold;
  /** Where `economical` hands off, as far as that is known: see `economicalTokens`. */
  economicalAt?: number | undefined;
  /** Per cent used. Default 50 and 60. */
  warnAt?: readonly number[];
  /** Room that writing a handoff takes. Default 8,000 tokens; never more than 5 % of the window counts. */
  handoffTokens?: number;
}

/** What the policy has already done in this session. */
export interface PolicyHistory {
  handedOff: boolean;
  warned: readonly number[];
}

type Decision =
  | { action: "none" }
  | { action: "warn"; level: number }
  | { action: "hand-off"; trigger: "threshold" | "forecast" };

const NONE: Decision = { action: "none" };

export function decide(state: ContextState, policy: HandoffPolicy, history: PolicyHistory): Decision {
  if (history.handedOff || state.compacting || tokensInUse(state) === 0) return NONE;
  const trigger = triggerTokens(state, policy);
  if (trigger !== undefined && tokensInUse(state) >= trigger)
    return { action: "hand-off", trigger: "threshold" };
  if (nextTurnOverflows(state, policy)) return { action: "hand-off", trigger: "forecast" };
  return decideWarning(state, policy, history.warned);
}

/** For a session that does not hand off now, whatever its figure: it is warned about all the same. */
export function decideWarning(
  state: ContextState,
  policy: Pick<HandoffPolicy, "warnAt">,
  warned: readonly number[],
): Exclude<Decision, { action: "hand-off" }> {
  if (state.compacting) return { action: "none" };
  const level = newWarning(percentUsed(state) ?? 0, policy.warnAt ?? WARN_AT, warned);
  return level === undefined ? { action: "none" } : { action: "warn", level };
}

/** The tokens in use at which a session hands off, or undefined while that needs a window nobody knows. */
export function triggerTokens(
  state: Pick<ContextState, "window" | "growth" | "autoCompactThreshold">,
  policy: Pick<HandoffPolicy, "threshold" | "economicalAt">,
): number | undefined {
  const wanted = thresholdTokens(policy, state.window?.tokens);
  if (wanted === undefined || state.autoCompactThreshold === undefined) return wanted;
  return Math.min(wanted, belowCompaction(state.autoCompactThreshold, state.growth ?? 0));
}

/** The last moment for a handoff in comfort: the usual threshold, and the ceiling of one that saves money. */
export const SAFE_THRESHOLD: Threshold = { kind: "remaining", fraction: 0.1 };

function thresholdTokens(
  { threshold, economicalAt }: Pick<HandoffPolicy, "threshold" | "economicalAt">,
  window: number | undefined,
): number | undefined {
  switch (threshold.kind) {
    case "tokens":
      return Math.min(threshold.tokens, window ?? threshold.tokens);
    case "remaining":
      return window && Math.round(window * (1 - threshold.fraction));
    case "used":
      return window && Math.round(window * (threshold.percent / 100));
    case "economical": {
      const safe = thresholdTokens({ threshold: SAFE_THRESHOLD }, window);
      return safe === undefined || economicalAt === undefined ? safe : Math.min(safe, economicalAt);
    }
  }
}

/** One turn short of it. A single huge turn must not pull the trigger down to where every session starts. */
function belowCompaction(autoCompactThreshold: number, growth: number): number {
  const margin = Math.max(growth, autoCompactThreshold * LEAST_MARGIN);
  return Math.floor(autoCompactThreshold - Math.min(margin, autoCompactThreshold * MOST_MARGIN));
}

/**
 * The figure does not hold the results of the tools that the newest response called: they come on top, in this turn
 * and in the next. A session that goes on must still have room to write its handoff after both.
 */
function nextTurnOverflows(state: ContextState, policy: HandoffPolicy): boolean {
  return state.window !== undefined && nextTurnPasses(state.window.tokens, state, policy.handoffTokens);
}

/** Whether a handoff that is not asked for now may come after the agent's own compaction, or not at all. */
export function isLastChance(state: ContextState): boolean {
  const { window, autoCompactThreshold = window?.tokens } = state;
  return autoCompactThreshold !== undefined && nextTurnPasses(autoCompactThreshold, state);
}

const LAST_PERCENT = 90;

/**
 * Whether the agent's own compaction, or its refusal to continue, is one turn away. Where it refuses without compacting, 90 %
 * of the window counts as well.
 */
export function isLastTurn(state: ContextState, compacts: boolean): boolean {
  const percent = compacts ? 100 : LAST_PERCENT;
  const last = triggerTokens(state, { threshold: { kind: "used", percent } });
  return last !== undefined && tokensInUse(state) > 0 && tokensInUse(state) >= last;
}

function nextTurnPasses(limit: number, state: ContextState, handoffTokens = HANDOFF_TOKENS): boolean {
  const { growth = 0, window } = state;
  const room = Math.min(handoffTokens, (window?.tokens ?? limit) * MOST_OF_WINDOW_FOR_HANDOFF);
  return tokensInUse(state) + 2 * growth + room > limit;
}

/** The highest level reached, unless it or a higher one has been told. */
function newWarning(
  percent: number,
  levels: readonly number[],
  warned: readonly number[],
): number | undefined {
  const told = Math.max(0, ...warned);
  const reached = levels.filter((level) => level > told && percent >= level);
  return reached.length === 0 ? undefined : Math.max(...reached);
}

/** The two moments at which a job can show that its handoffs lead nowhere. */
type ThrashCheck =
  | { at: "first-response"; tokens: number; trigger: number }
  | { at: "handoff"; turnsSinceLast: number };

type ThrashVerdict = { thrash: false } | { thrash: true; message: string };

/** For a session that continues from a handoff: a job's first session has nothing to thrash with. */
export function thrash(check: ThrashCheck): ThrashVerdict {
  switch (check.at) {
    case "first-response":
      return check.tokens > check.trigger / 2
        ? { thrash: true, message: startsTooFull(check) }
        : { thrash: false };
    case "handoff":
      return check.turnsSinceLast < LEAST_TURNS_BETWEEN_HANDOFFS
        ? { thrash: true, message: handsOffTooSoon(check.turnsSinceLast) }
        : { thrash: false };
  }
}

function startsTooFull({ tokens, trigger }: { tokens: number; trigger: number }): string {
  return (
    `The new session holds ${count(tokens)} tokens after its first response, more than half of the ` +
    `${count(trigger)} at which it hands off again, so most of its window would go into handoffs. ` +
    "Give it a smaller start (system prompt, MCP servers, files that are loaded at start), or let it use more " +
    "of its window with session.context_threshold. Then `baton resume`."
  );
}

function handsOffTooSoon(turns: number): string {
  return (
    `The session would hand off ${turns === 1 ? "1 turn" : `${turns} turns`} after the last handoff, so the job ` +
    "is not getting ahead: single steps fill the window. Split the work into smaller steps (read parts of large " +
    "files, cut the output of commands), or choose a model with a larger window. Then `baton resume`."
  );
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
