import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { decide, isLastChance, triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import {
  afterPrompt,
  type ClearingHandoff,
  type HandoffPlace,
  isCutOff,
  isHandedOff,
  isOnItsWay,
  leftUnanswered,
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
}

/** What a session is told. */
export type Saying =
  /** `handoffAt`: tokens in use at which the work is handed over, if it is. */
  | { say: "warning"; handoffAt: number | undefined }
  /** `stop`: the agent was about to end its turn, and goes on instead. Else it is told between two tools. */
  | { say: "hand-off"; at: "stop" | "tool" }
  /** The agent was asked, and ended its turn without handing over. */
  | { say: "unanswered"; number: number }
  | { say: "mail"; mail: OwnSession["mail"] };

export interface HookDecision {
  record: OwnSession;
  sayings: Saying[];
  /** The agent is asked for a handoff: that goes on record. */
  request?: Pick<HandoffPlace, "trigger" | "focus">;
  /** The handoff is stored: continue from it. */
  cycle?: true;
}

type Running = Exclude<HookInput, { event: "start" }>;

/** What a hook of a running session does. The start of one is another matter. */
export function hookDecision(input: Running, record: OwnSession, moment: Moment): HookDecision {
  const seen = seenNow(input, record, moment);
  switch (input.event) {
    case "prompt":
      return atPrompt(seen, input.prompt, moment);
    case "tool":
      return input.inSubagent ? { record: seen, sayings: [] } : afterTool(seen, input, moment);
    case "stop":
      return atStop(seen, input, moment);
    case "end":
      return { record: { ...seen, ended: { at: moment.now, reason: input.reason } }, sayings: [] };
  }
}

function seenNow({ transcript, cwd }: Running, record: OwnSession, moment: Moment): OwnSession {
  const { figure, reading } = moment.figured;
  return {
    ...record,
    transcript: transcript ?? record.transcript,
    cwd,
    seenAt: moment.now,
    ended: null,
    figure: figure ?? record.figure,
    reading: reading ?? record.reading,
    settings: moment.settings,
  };
}

const HANDOFF_COMMAND = /^\/baton:handoff\b\s*(.*)$/s;
const ORCHESTRATOR = "baton:orchestrator";

function atPrompt(record: OwnSession, prompt: string, moment: Moment): HookDecision {
  const { mail } = record;
  const role = prompt.startsWith(`/${ORCHESTRATOR}`) ? ("orchestrator" as const) : record.role;
  const [command, focus = ""] = HANDOFF_COMMAND.exec(prompt) ?? [];
  const isTheirs = !isOwnWords(prompt, moment.settings.checkMessage);
  const handoff = isTheirs ? afterPrompt(record.handoff) : record.handoff;
  const decision = warned({ ...record, role, mail: [], handoff }, moment);
  return {
    ...decision,
    sayings: [...decision.sayings, ...(mail.length > 0 ? [{ say: "mail", mail } as const] : [])],
    ...(command !== undefined && {
      request: { trigger: "manual", ...(focus.trim() && { focus: focus.trim() }) },
    }),
  };
}

function afterTool(
  record: OwnSession,
  { skill }: Extract<HookInput, { event: "tool" }>,
  moment: Moment,
): HookDecision {
  const named = skill === ORCHESTRATOR ? { ...record, role: "orchestrator" as const } : record;
  const trigger = handoffDue(named, moment);
  if (!trigger) return warned(named, moment);
  // A long turn may not stop before the program compacts it: then it is asked between two tools.
  if (!isLastChance(state(moment))) return { record: named, sayings: [] };
  return { record: named, sayings: [{ say: "hand-off", at: "tool" }], request: { trigger } };
}

function atStop(
  record: OwnSession,
  { again, subagentsRunning }: Extract<HookInput, { event: "stop" }>,
  moment: Moment,
): HookDecision {
  const { handoff } = record;
  if (isOnItsWay(handoff) && isToBeCleared(handoff, record)) {
    // The document does not hold what was said and done since, so it is written again before anything is cleared.
    if (handoff.wentOn && !again && !subagentsRunning) return requested(record, handoff.trigger);
    return { record, sayings: [], ...(!handoff.wentOn && isDue(handoff, moment) && { cycle: true }) };
  }
  const told = subagentsRunning ? undefined : leftUnanswered(handoff);
  if (told) {
    return { record: { ...record, handoff: told }, sayings: [{ say: "unanswered", number: told.number }] };
  }
  const trigger = handoffDue(record, moment);
  if (!trigger) return warned(record, moment);
  // It stops again when a subagent comes back, and knows more then.
  if (again || (subagentsRunning && !isLastChance(state(moment)))) return { record, sayings: [] };
  return requested(record, trigger);
}

function requested(record: OwnSession, trigger: HandoffPlace["trigger"]): HookDecision {
  return { record, sayings: [{ say: "hand-off", at: "stop" }], request: { trigger } };
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
  return decide(state(moment), policy, { handedOff: isHandedOff(record.handoff), warned: record.warned });
}

function handsOff({ settings }: Moment): boolean {
  return settings.enabled && settings.attended;
}

function thresholdOf({ role }: OwnSession, { settings }: Moment) {
  return role === "orchestrator" ? settings.orchestratorThreshold : settings.threshold;
}

function state({ figured, compactsAt }: Moment): ContextState {
  return { ...(figured.reading?.context ?? initialContext({})), autoCompactThreshold: compactsAt };
}
