import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import { readBeginning } from "../../files/bounded-file.ts";
import { parseDocument } from "../../handoff/document.ts";
import { grantsOf } from "../../hooks/grants.ts";
import type { HookNews } from "../../hooks/hook-call.ts";
import type { Message } from "../../hooks/message.ts";
import { handoffPayload, jobPayload } from "../../hooks/payload.ts";
import { runHooks } from "../../hooks/run.ts";
import type { Reach } from "../../jobs/notices.ts";
import { redactor } from "../../secrets/redact.ts";
import type { HandoffNotice } from "../../sessions/handoff/cycle.ts";
import { hookLogPath, logHook } from "../../sessions/hooks/log.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { oneLine, printable } from "../../util/printable.ts";

/** Tells a person what becomes of a handoff of their session, as far as they asked for it. */
export function noticesFor(
  session: OwnSession,
  agent: AgentConfig,
  reach: Reach,
): (notice: HandoffNotice) => Promise<void> {
  const { notify, workingDirectory, agreed } = agent;
  const env = { ...ownEnvironment(), ...agent.env };
  const redact = redactor({ ...configuredSecrets(agent), ...env });
  return async (notice) => {
    if (!isWanted(notice, notify.events)) return;
    if (notify.desktop) await reach.desktop(redact(notice));
    if (notify.hooks.length === 0) return;
    await runHooks(notify.hooks, redact(newsOf(session, agent.name, notice)), {
      cwd: workingDirectory,
      env,
      grants: grantsOf(agent),
      signal: new AbortController().signal,
      onRun: ({ name, ok, error }) => {
        if (!ok) logHook(hookLogPath(), redact(`notify.hooks: "${name}" failed: ${error}`));
      },
      ...(agreed && { agreed }),
    });
  };
}

/** Nobody sees by themselves that their session continues in another place: whoever hears of pauses hears of that, too. */
function isWanted({ event, elsewhere }: HandoffNotice, events: AgentConfig["notify"]["events"]): boolean {
  return events.includes(event) || (elsewhere === true && events.includes("pause"));
}

function newsOf(session: OwnSession, agent: string, notice: HandoffNotice): HookNews {
  const message: Message = {
    tone: notice.event === "pause" ? "caution" : "plain",
    title: oneLine(`${agent}: ${notice.title}`),
    facts: [
      { label: "Agent", value: agent },
      { label: "Session", value: session.id },
      { label: "Document", value: notice.handoff.documentPath },
    ].map((fact) => ({ ...fact, value: oneLine(fact.value) })),
    text: printable(notice.text),
  };
  return notice.event === "pause"
    ? { event: "paused", payload: pausedPayload(session, agent, notice), message }
    : { event: "handoff", payload: payloadOf(session, agent, notice), message };
}

function payloadOf({ id, figure, project }: OwnSession, agent: string, { handoff }: HandoffNotice) {
  const { number, trigger, documentPath } = handoff;
  const model = figure?.model ?? "unknown";
  return handoffPayload({
    handoff: { number, trigger, outcome: outcomeOf(documentPath), documentPath },
    session: { sessionId: id, agent, root: project },
    ...(figure && { context: { inputTokens: figure.tokens, contextWindow: figure.window, model } }),
  });
}

const HEAD_BYTES = 16 * 1024;

/** As its document says, if it can be read. */
function outcomeOf(documentPath: string): string {
  try {
    return parseDocument(readBeginning(documentPath, HEAD_BYTES)).head.outcome ?? "written";
  } catch {
    return "written";
  }
}

function pausedPayload(session: OwnSession, agent: string, { handoff, text }: HandoffNotice) {
  const { id, startedAt, figure, reading } = session;
  return jobPayload({
    event: "paused",
    job: {
      id,
      agent,
      prompt: reading?.about?.prompt ?? "",
      status: "paused",
      startedAt,
      costUsd: null,
      costIsEstimate: false,
      turns: figure?.turns ?? 0,
      sessions: 1,
      handoffs: handoff.number,
    },
    result: { success: false, output: "", error: text },
    metadata: { session_id: id, document_path: handoff.documentPath },
  });
}
