import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { decide, isLastChance, isLastTurn, triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import { isCutOff, isHandedOff, isOnItsWay, tellsNothingNow } from "../record/handoff-questions.ts";
import {
  afterPrompt,
  type ClearingHandoff,
  type HandoffPlace,
  isAsked,
  isAskedAgainAt,
  leftUnanswered,
  type Seen,
  type SessionHandoff,
  type StoredHandoff,
} from "../record/handoff-state.ts";
import { isOwnWords } from "../record/own-words.ts";
import type { OwnSession } from "../record/session.ts";
import type { Figured } from "../watch/figure.ts";
import type { HookSettings } from "./settings.ts";

/** What is known when a hook runs. */
export interface Moment {
  now: string;
  settings: HookSettings;
  figured: Figured;
  /** Where the program would compact the session by itself; undefined where it does not. */
  compactsAt: number | undefined;
  /** Where it would not ask the model any more; undefined where it compacts the session before. */
  refusesAt: number | undefined;
}

/** What a session is told. */
export type Saying =
  /** `handoffAt`: tokens in use at which the work is handed over, if it is. */
  | { say: "warning"; handoffAt: number | undefined }
  /** `stop`: the agent was about to end its turn, and goes on instead. Else it is told between two tools. */
  | { say: "hand-off"; at: "stop" | "tool" }
  /** The agent was asked, and ended its turn without handing over. `facts`: Baton writes the document instead. */
  | { say: "unanswered"; number: number; facts: boolean }
  | { say: "mail"; mail: OwnSession["mail"] }
  /** The configuration cannot be read, so the defaults apply; undefined once it can be read again. */
  | { say: "configuration"; problem: string | undefined };

export interface HookDecision {
  record: OwnSession;
  sayings: Saying[];
  /** The agent is asked for a handoff: that goes on record. */
  request?: Pick<HandoffPlace, "trigger" | "focus"> & { seen?: Seen };
  /** The handoff is stored: continue from it. */
  cycle?: true;
  /** The document is to be written without the agent: beside the session, or before it may go on. */
  facts?: "beside" | "now";
}

type Running = Exclude<HookInput, { event: "start" }>;

/** What a hook of a running session does. The start of one is another matter. */
export function hookDecision(input: Running, record: OwnSession, moment: Moment): HookDecision {
  const decision = decisionAt(input, record, moment);
  const { inTurn: _before, ...rest } = decision.record;
  return { ...decision, record: { ...rest, ...(isInTurn(input, decision) && { inTurn: true }) } };
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

const HANDOFF_COMMAND = /^\/baton:handoff\b\s*(.*)$/s;
const ORCHESTRATOR = "baton:orchestrator";

/** `known`: what the person knows to be wrong with the configuration. */
function atPrompt(
  record: OwnSession,
  { prompt, known }: { prompt: string; known: string | undefined },
  moment: Moment,
): HookDecision {
  const { mail } = record;
  const { problem } = moment.settings;
  const role = prompt.startsWith(`/${ORCHESTRATOR}`) ? ("orchestrator" as const) : record.role;
  const [command, focus = ""] = HANDOFF_COMMAND.exec(prompt) ?? [];
  const isTheirs = !isOwnWords(prompt, moment.settings.checkMessage);
  const handoff = isTheirs ? afterPrompt(record.handoff) : record.handoff;
  const decision = warned({ ...record, role, mail: [], handoff }, moment);
  return {
    ...decision,
    sayings: [
      ...decision.sayings,
      ...(mail.length > 0 ? [{ say: "mail", mail } as const] : []),
      ...(problem === known ? [] : [{ say: "configuration", problem } as const]),
    ],
    ...(command !== undefined && {
      request: { trigger: "manual", ...(focus.trim() && { focus: focus.trim() }), ...seenIn(moment) },
    }),
    ...(command === undefined && isIgnored(handoff) && isFactsDue(handoff, moment) && { facts: "beside" }),
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
    if (handoff.wentOn && !again && !subagentsRunning) return requested(record, handoff.trigger, moment);
    return { record, sayings: [], ...(!handoff.wentOn && isDue(handoff, moment) && { cycle: true }) };
  }
  const trigger = handoffDue(record, moment);
  // It stops again when a subagent comes back, and knows more then.
  const isWaiting = subagentsRunning && !isLastChance(state(moment));
  if (trigger && !again && !isWaiting) return requested(record, trigger, moment);
  if (subagentsRunning) return trigger ? { record, sayings: [] } : warned(record, moment);
  const told = leftUnanswered(handoff);
  const facts = (told !== undefined || isIgnored(handoff)) && isFactsDue(handoff, moment);
  const decision: HookDecision = told
    ? { record: { ...record, handoff: told }, sayings: [{ say: "unanswered", number: told.number, facts }] }
    : warned(record, moment);
  return { ...decision, ...(facts && { facts: "beside" }) };
}

function requested(record: OwnSession, trigger: HandoffPlace["trigger"], moment: Moment): HookDecision {
  return {
    record,
    sayings: [{ say: "hand-off", at: "stop" }],
    request: { trigger, ...seenIn(moment) },
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

/** Whether nobody will write the document any more, and this is the last turn in which what it should hold is known. */
function isFactsDue(handoff: SessionHandoff | null, moment: Moment): boolean {
  return isAsked(handoff) && !handoff.fromFacts && handsOff(moment) && isLast(moment);
}

function isLast(moment: Moment): boolean {
  return isLastTurn(state(moment), moment.compactsAt !== undefined);
}

function isIgnored(handoff: SessionHandoff | null): boolean {
  return isAsked(handoff) && handoff.unanswered === true;
}

/** It was asked, has answered with something else since, and is still at that. */
function worksOn(handoff: SessionHandoff | null, moment: Moment): boolean {
  if (!isAsked(handoff)) return false;
  return (
    handoff.unanswered === true ||
    (handoff.seen !== undefined && state(moment).turns > handoff.seen.turns + 1)
  );
}

function seenIn({ figured }: Moment): { seen?: Seen } {
  const { figure, reading } = figured;
  return figure && reading
    ? { seen: { percent: Math.floor(figure.percent), turns: reading.context.turns } }
    : {};
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

/** Each level is said once. */
function warned(record: OwnSession, moment: Moment): HookDecision {
  const decision = decided(record, moment);
  if (decision.action !== "warn") return { record, sayings: [] };
  const threshold = thresholdOf(record, moment);
  const handoffAt = handsOff(moment) ? triggerTokens(state(moment), { threshold }) : undefined;
  return {
    record: { ...record, warned: [...record.warned, decision.level] },
    sayings: [{ say: "warning", handoffAt }],
  };
}

function decided(record: OwnSession, moment: Moment) {
  const policy = { threshold: thresholdOf(record, moment), warnAt: moment.settings.warnAt };
  const { handoff, warned } = record;
  const isAgain = isAskedAgainAt(handoff, moment.figured.figure?.percent ?? 0);
  return decide(state(moment), policy, { handedOff: isHandedOff(handoff) && !isAgain, warned });
}

function handsOff({ settings }: Moment): boolean {
  return settings.enabled && settings.attended;
}

function thresholdOf({ role }: OwnSession, { settings }: Moment) {
  return role === "orchestrator" ? settings.orchestratorThreshold : settings.threshold;
}

function state({ figured, compactsAt, refusesAt }: Moment): ContextState {
  return {
    ...(figured.reading?.context ?? initialContext({})),
    autoCompactThreshold: compactsAt ?? refusesAt,
  };
}
