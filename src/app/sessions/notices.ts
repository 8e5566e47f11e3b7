import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import { readBeginning } from "../../files/bounded-file.ts";
import { parseDocument } from "../../handoff/document.ts";
import type { HookNews } from "../../hooks/hook-call.ts";
import type { Message } from "../../hooks/message.ts";
import { handoffPayload, jobPayload } from "../../hooks/payload.ts";
import { Post, type Reach } from "../../jobs/notices/post.ts";
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
  const { notify } = agent;
  const env = { ...ownEnvironment(), ...agent.env };
  const redact = redactor({ ...configuredSecrets(agent, env), ...env });
  return async (notice) => {
    if (!isWanted(notice, notify.events)) return;
    // Nobody sees this terminal's bell.
    const config = { ...agent, notify: { ...notify, bell: false } };
    await using post = new Post({
      project: session.project,
      config,
      reach,
      env,
      onRun: (_news, { name, ok, error }) => {
        if (!ok) logHook(hookLogPath(), redact(`notify.hooks: "${name}" failed: ${error}`));
      },
    });
    const { event, title, text, handoff } = notice;
    const told = { event, title, text, command: commandFor(notice) };
    const at = new Date().toISOString();
    const alike = `${session.id} ${handoff.number} ${title}`;
    await post.tell(alike, redact({ notice: told, news: newsOf(session, agent.name, notice), at }));
  };
}

function commandFor({ event, handoff }: HandoffNotice): string {
  return event === "pause" ? `baton continue ${handoff.documentPath}` : "baton status";
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
      { label: "Answer with", value: commandFor(notice) },
    ].map((fact) => ({ ...fact, value: oneLine(fact.value) })),
    text: printable(notice.text),
  };
  const answer_with = commandFor(notice);
  return notice.event === "pause"
    ? { event: "paused", payload: { ...pausedPayload(session, agent, notice), answer_with }, message }
    : { event: "handoff", payload: { ...payloadOf(session, agent, notice), answer_with }, message };
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
