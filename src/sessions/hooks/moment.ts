import { decide, isLastTurn, triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import { isHandedOff } from "../record/handoff-questions.ts";
import {
  type CancelledHandoff,
  type HandoffPlace,
  isAsked,
  isAskedAgainAt,
  type Seen,
  type SessionHandoff,
} from "../record/handoff-state.ts";
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
  /** What a person asked Baton itself, and no model. */
  | { say: "status"; session: OwnSession; handoffAt: number | undefined }
  | { say: "cancelled"; handoff: CancelledHandoff | undefined; before: SessionHandoff | null }
  /** The handoff that the agent was asked for is cancelled: it has the request in its window. */
  | { say: "no-handoff" }
  /** The configuration cannot be read, so the defaults apply; undefined once it can be read again. */
  | { say: "configuration"; problem: string | undefined };

export interface HookDecision {
  record: OwnSession;
  sayings: Saying[];
  /** The agent is asked for a handoff: that goes on record. */
  request?: Pick<HandoffPlace, "trigger" | "focus" | "atRest"> & { seen?: Seen };
  /** The handoff is stored: continue from it. */
  cycle?: true;
  /** The document is to be written without the agent: beside the session, or before it may go on. */
  facts?: "beside" | "now";
}

export const ORCHESTRATOR = "baton:orchestrator";

/** Whether nobody will write the document any more, and this is the last turn in which what it should hold is known. */
export function isFactsDue(handoff: SessionHandoff | null, moment: Moment): boolean {
  return isAsked(handoff) && !handoff.fromFacts && handsOff(moment) && isLast(moment);
}

function isLast(moment: Moment): boolean {
  return isLastTurn(state(moment), moment.compactsAt !== undefined);
}

export function isIgnored(handoff: SessionHandoff | null): boolean {
  return isAsked(handoff) && handoff.unanswered === true;
}

export function seenIn({ figured }: Moment): { seen?: Seen } {
  const { figure, reading } = figured;
  return figure && reading
    ? { seen: { percent: Math.floor(figure.percent), turns: reading.context.turns } }
    : {};
}

/** Each level is said once. */
export function warned(record: OwnSession, moment: Moment): HookDecision {
  const decision = decided(record, moment);
  if (decision.action !== "warn") return { record, sayings: [] };
  return {
    record: { ...record, warned: [...record.warned, decision.level] },
    sayings: [{ say: "warning", handoffAt: handoffTokens(record, moment) }],
  };
}

/** At how many tokens the work is handed over, if it is. */
export function handoffTokens(record: OwnSession, moment: Omit<Moment, "now">): number | undefined {
  const threshold = thresholdOf(record, moment);
  return handsOff(moment) ? triggerTokens(state(moment), { threshold }) : undefined;
}

export function decided(record: OwnSession, moment: Moment) {
  const policy = { threshold: thresholdOf(record, moment), warnAt: moment.settings.warnAt };
  const { handoff, warned } = record;
  const isAgain = isAskedAgainAt(handoff, moment.figured.figure?.percent ?? 0);
  return decide(state(moment), policy, { handedOff: isHandedOff(handoff) && !isAgain, warned });
}

export function handsOff({ settings }: Pick<Moment, "settings">): boolean {
  return settings.enabled && settings.attended;
}

function thresholdOf({ role }: OwnSession, { settings }: Pick<Moment, "settings">) {
  return role === "orchestrator" ? settings.orchestratorThreshold : settings.threshold;
}

export function state({ figured, compactsAt, refusesAt }: Omit<Moment, "now">): ContextState {
  return {
    ...(figured.reading?.context ?? initialContext({})),
    autoCompactThreshold: compactsAt ?? refusesAt,
  };
}
