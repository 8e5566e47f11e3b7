import type { HookInput } from "../../agents/claude/own/hook-input.ts";
import { decide, isLastChance, triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import { isOwnWords } from "../record/own-words.ts";
import { CUT_OFF_MS, isOnItsWay, type OwnSession, type SessionHandoff } from "../record/session.ts";
import type { Figured } from "../watch/figure.ts";
import type { HookSettings } from "./settings.ts";

/** What is known when a hook runs. */
export interface Moment {
  now: string;
  settings: HookSettings;
  figured: Figured;
  /** Where Claude Code would compact the session by itself; undefined where it does not. */
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
  request?: Required<Pick<SessionHandoff, "trigger">> & Pick<SessionHandoff, "focus">;
  /** The handoff is stored: continue from it. */
  cycle?: true;
}

type Running = Exclude<HookInput, { event: "SessionStart" }>;

/** What a hook of a running session does. The start of one is another matter. */
export function hookDecision(input: Running, record: OwnSession, moment: Moment): HookDecision {
  const seen = seenNow(input, record, moment);
  switch (input.event) {
    case "UserPromptSubmit":
      return atPrompt(seen, input.prompt, moment);
    case "PostToolUse":
    case "PostToolUseFailure":
      return input.inSubagent ? { record: seen, sayings: [] } : afterTool(seen, input, moment);
    case "Stop":
      return atStop(seen, input, moment);
    case "SessionEnd":
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
  const handoff = isTheirs ? goneOnFrom(record.handoff) : record.handoff;
  const decision = warned({ ...record, role, mail: [], handoff }, moment);
  return {
    ...decision,
    sayings: [...decision.sayings, ...(mail.length > 0 ? [{ say: "mail", mail } as const] : [])],
    ...(command !== undefined && {
      request: { trigger: "manual", ...(focus.trim() && { focus: focus.trim() }) },
    }),
  };
}

/** What a person says after a handoff is in no document. */
function goneOnFrom(handoff: SessionHandoff | null): SessionHandoff | null {
  switch (handoff?.state) {
    case "stored":
    case "clearing":
    case "pending":
      return { ...handoff, wentOn: true };
    default:
      return handoff;
  }
}

function afterTool(
  record: OwnSession,
  { tool, toolInput }: Extract<HookInput, { tool: string }>,
  moment: Moment,
): HookDecision {
  const orchestrates = tool === "Skill" && isSkill(toolInput, ORCHESTRATOR);
  const named = orchestrates ? { ...record, role: "orchestrator" as const } : record;
  const trigger = handoffDue(named, moment);
  if (!trigger) return warned(named, moment);
  // A long turn may not stop before Claude Code compacts it: then it is asked between two tools.
  if (!isLastChance(state(moment))) return { record: named, sayings: [] };
  return { record: named, sayings: [{ say: "hand-off", at: "tool" }], request: { trigger } };
}

function atStop(
  record: OwnSession,
  { again, subagentsRunning }: Extract<HookInput, { event: "Stop" }>,
  moment: Moment,
): HookDecision {
  const { handoff } = record;
  if (isToBeCleared(record)) {
    if (handoff?.wentOn) return again || subagentsRunning ? { record, sayings: [] } : askedAgain(record);
    return isDue(handoff, moment) ? { record, sayings: [], cycle: true } : { record, sayings: [] };
  }
  if (handoff?.state === "asked" && !handoff.unanswered && !subagentsRunning) {
    const told = { ...record, handoff: { ...handoff, unanswered: true } as const };
    return { record: told, sayings: [{ say: "unanswered", number: handoff.number }] };
  }
  const trigger = handoffDue(record, moment);
  if (!trigger) return warned(record, moment);
  // It stops again when a subagent comes back, and knows more then.
  if (again || (subagentsRunning && !isLastChance(state(moment)))) return { record, sayings: [] };
  return { record, sayings: [{ say: "hand-off", at: "stop" }], request: { trigger } };
}

/** Where there is no pane, what is being started elsewhere has no need of this session any more. */
function isToBeCleared({ handoff, pane }: OwnSession): boolean {
  return isOnItsWay(handoff) && (handoff?.state === "stored" || pane !== null);
}

function isDue(handoff: SessionHandoff | null, { now }: Moment): boolean {
  if (handoff?.state !== "clearing") return handoff?.state === "stored";
  return Date.parse(now) - Date.parse(handoff.at) > CUT_OFF_MS;
}

/** The document does not hold what was said and done since, so it is written anew before anything is cleared. */
function askedAgain(record: OwnSession): HookDecision {
  const trigger = record.handoff?.trigger ?? "threshold";
  return { record, sayings: [{ say: "hand-off", at: "stop" }], request: { trigger } };
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
  return decide(state(moment), policy, { handedOff: isHandedOff(record), warned: record.warned });
}

/** A session is asked once for each window that it fills, and anew where the person went on before it was cleared. */
export function isHandedOff({ handoff }: Pick<OwnSession, "handoff">): boolean {
  if (handoff === null || handoff.outlived) return false;
  return !(handoff.wentOn && isOnItsWay(handoff));
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

function isSkill(input: unknown, name: string): boolean {
  if (typeof input !== "object" || input === null) return false;
  return [Reflect.get(input, "skill"), Reflect.get(input, "command")].includes(name);
}
