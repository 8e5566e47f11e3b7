import { afterPrompt, cancelled, type SessionHandoff } from "../record/handoff-state.ts";
import { isOwnWords } from "../record/own-words.ts";
import type { OwnSession } from "../record/session.ts";
import {
  type HookDecision,
  handoffTokens,
  isFactsDue,
  isIgnored,
  type Moment,
  ORCHESTRATOR,
  seenIn,
  warned,
} from "./moment.ts";

const HANDOFF_COMMAND = /^\/baton:handoff(?:\s+(.*))?$/s;
const STATUS_COMMAND = /^\/baton:status\s*$/;
const CANCEL_COMMAND = /^\/baton:cancel\s*$/;

/** `known`: what the person knows to be wrong with the configuration. */
export function atPrompt(
  record: OwnSession,
  { prompt, known }: { prompt: string; known: string | undefined },
  moment: Moment,
): HookDecision {
  if (STATUS_COMMAND.test(prompt)) return status(record, moment);
  if (CANCEL_COMMAND.test(prompt)) return cancel(record, moment);
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
      ...(isNewsToAgent(record.handoff) && command === undefined ? [{ say: "no-handoff" } as const] : []),
      ...(mail.length > 0 ? [{ say: "mail", mail } as const] : []),
      ...(problem === known ? [] : [{ say: "configuration", problem } as const]),
    ],
    ...(command !== undefined && {
      request: {
        trigger: "manual",
        ...(focus.trim() && { focus: focus.trim() }),
        atRest: true,
        ...seenIn(moment),
      },
    }),
    ...(command === undefined && isIgnored(handoff) && isFactsDue(handoff, moment) && { facts: "beside" }),
  };
}

function status(record: OwnSession, moment: Moment): HookDecision {
  return { record, sayings: [{ say: "status", session: record, handoffAt: handoffTokens(record, moment) }] };
}

function cancel(record: OwnSession, moment: Moment): HookDecision {
  const { handoff: before } = record;
  const handoff = cancelled(before, moment.now, seenIn(moment).seen);
  return {
    record: handoff ? { ...record, handoff } : record,
    sayings: [{ say: "cancelled", handoff, before }],
  };
}

/** Whether the agent still takes its session for one that is handed over, or to be. */
function isNewsToAgent(handoff: SessionHandoff | null): boolean {
  return handoff?.state === "cancelled" && !handoff.told;
}
