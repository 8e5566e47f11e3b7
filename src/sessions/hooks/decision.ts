import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { isLastChance } from "../../context/policy.ts";
import { isCutOff, isOnItsWay, tellsNothingNow } from "../record/handoff-questions.ts";
import {
  type ClearingHandoff,
  type HandoffPlace,
  isAsked,
  leftUnanswered,
  type SessionHandoff,
  type StoredHandoff,
} from "../record/handoff-state.ts";
import type { OwnSession } from "../record/session.ts";
import { atPrompt } from "./at-prompt.ts";
import {
  decided,
  type HookDecision,
  handsOff,
  isFactsDue,
  isIgnored,
  type Moment,
  ORCHESTRATOR,
  type Saying,
  seenIn,
  state,
  warned,
} from "./moment.ts";

export type { HookDecision, Moment, Saying } from "./moment.ts";

type Running = Exclude<HookInput, { event: "start" }>;

/** What a hook of a running session does. The start of one is another matter. */
export function hookDecision(input: Running, record: OwnSession, moment: Moment): HookDecision {
  const decision = decisionAt(input, record, moment);
  if (decision.sayings.some(isAnswer)) return decision;
  const { inTurn: _before, ...rest } = decision.record;
  return { ...decision, record: { ...rest, ...(isInTurn(input, decision) && { inTurn: true }) } };
}

/** Baton answers by itself: no turn begins. */
function isAnswer({ say }: Saying): boolean {
  return say === "status" || say === "cancelled";
}

/** Whoever is killed in the middle of a turn is told how to resume it. */
function isInTurn({ event }: Running, { sayings, record }: HookDecision): boolean {
  switch (event) {
    case "prompt":
    case "tool":
      return true;
    case "stop":
      return sayings.some(({ say }) => say === "hand-off");
    case "compact":
      return record.inTurn === true;
    case "end":
      return false;
  }
}

function decisionAt(input: Running, record: OwnSession, moment: Moment): HookDecision {
  const seen = seenNow(input, record, moment);
  switch (input.event) {
    case "prompt":
      return atPrompt(seen, { prompt: input.prompt, known: record.settings?.problem }, moment);
    case "tool":
      return input.inSubagent ? { record: seen, sayings: [] } : afterTool(seen, input, moment);
    case "stop":
      return atStop(seen, input, moment);
    case "compact":
      return beforeCompaction(seen, input, moment);
    case "end":
      return { record: { ...seen, ended: { at: moment.now, reason: input.reason } }, sayings: [] };
  }
}

function seenNow(
  { transcript, cwd, permissionMode }: Running,
  record: OwnSession,
  moment: Moment,
): OwnSession {
  const { figure, reading } = moment.figured;
  return {
    ...record,
    transcript: transcript ?? record.transcript,
    cwd,
    ...(permissionMode !== undefined && { permissionMode }),
    seenAt: moment.now,
    ended: null,
    figure: figure ?? record.figure,
    reading: reading ?? record.reading,
    settings: moment.settings,
  };
}

function afterTool(
  record: OwnSession,
  { skill }: Extract<HookInput, { event: "tool" }>,
  moment: Moment,
): HookDecision {
  const named = skill === ORCHESTRATOR ? { ...record, role: "orchestrator" as const } : record;
  if (worksOn(named.handoff, moment) && isFactsDue(named.handoff, moment)) {
    return { record: named, sayings: [], facts: "beside" };
  }
  const trigger = handoffDue(named, moment);
  if (!trigger) return warned(named, moment);
  // A long turn may not stop before the program compacts it: then it is asked between two tools.
  if (!isLastChance(state(moment))) return { record: named, sayings: [] };
  return {
    record: named,
    sayings: [{ say: "hand-off", at: "tool" }],
    request: { trigger, ...seenIn(moment) },
  };
}

function atStop(
  record: OwnSession,
  { again, subagentsRunning }: Extract<HookInput, { event: "stop" }>,
  moment: Moment,
): HookDecision {
  const { handoff } = record;
  if (isOnItsWay(handoff) && isToBeCleared(handoff, record)) {
    // The document does not hold what was said and done since, so it is written again before anything is cleared.
    if (handoff.wentOn && !again && !subagentsRunning) return requested(record, handoff, moment);
    return { record, sayings: [], ...(!handoff.wentOn && isDue(handoff, moment) && { cycle: true }) };
  }
  const trigger = handoffDue(record, moment);
  // It stops again when a subagent comes back, and knows more then.
  const isWaiting = subagentsRunning && !isLastChance(state(moment));
  if (trigger && !again && !isWaiting) return requested(record, { trigger }, moment);
  if (subagentsRunning) return trigger ? { record, sayings: [] } : warned(record, moment);
  const told = leftUnanswered(handoff);
  const facts = (told !== undefined || isIgnored(handoff)) && isFactsDue(handoff, moment);
  const decision: HookDecision = told
    ? { record: { ...record, handoff: told }, sayings: [{ say: "unanswered", number: told.number, facts }] }
    : warned(record, moment);
  return { ...decision, ...(facts && { facts: "beside" }) };
}

function requested(
  record: OwnSession,
  { trigger, atRest }: Pick<HandoffPlace, "trigger" | "atRest">,
  moment: Moment,
): HookDecision {
  return {
    record,
    sayings: [{ say: "hand-off", at: "stop" }],
    request: { trigger, ...(atRest && { atRest }), ...seenIn(moment) },
  };
}

/** The last net: what is in the window now is gone after it. A person's own wish to compact costs them no document. */
function beforeCompaction(
  record: OwnSession,
  { byHand }: Extract<HookInput, { event: "compact" }>,
  moment: Moment,
): HookDecision {
  const { handoff } = record;
  const isWanted = handsOff(moment) && tellsNothingNow(handoff) && (!byHand || isAsked(handoff));
  const isWritten = isAsked(handoff) && handoff.fromFacts?.turns === state(moment).turns;
  return { record, sayings: [], ...(isWanted && !isWritten && { facts: "now" }) };
}

/** It was asked, has answered with something else since, and is still at that. */
function worksOn(handoff: SessionHandoff | null, moment: Moment): boolean {
  if (!isAsked(handoff)) return false;
  return (
    handoff.unanswered === true ||
    (handoff.seen !== undefined && state(moment).turns > handoff.seen.turns + 1)
  );
}

/** Where there is no pane, what is being started elsewhere has no need of this session any more. */
function isToBeCleared({ state }: StoredHandoff | ClearingHandoff, { pane }: OwnSession): boolean {
  return state === "stored" || pane !== null;
}

function isDue(handoff: StoredHandoff | ClearingHandoff, { now }: Moment): boolean {
  return handoff.state === "stored" || isCutOff(handoff, now);
}

function handoffDue(record: OwnSession, moment: Moment): "threshold" | "forecast" | undefined {
  const decision = decided(record, moment);
  return decision.action === "hand-off" && handsOff(moment) ? decision.trigger : undefined;
}
