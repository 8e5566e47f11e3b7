import type { HookEvent, NoticeEvent } from "../../config/hook-config.ts";
import type { HookNews } from "../../hooks/hook-call.ts";
import {
  contextThresholdPayload,
  handoffPayload,
  type JobInput,
  jobPayload,
  type SessionInput,
  sessionStartPayload,
  type ThresholdTrigger,
} from "../../hooks/payload.ts";
import { costFigure } from "../../job/cost.ts";
import type { Milestone } from "../../job/describe.ts";
import type { ContextFigures, JobEvent, PauseCode } from "../../job/events.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";
import { timeAtWork } from "../../job/limits.ts";
import { aboutEvent, branchOf, messageAbout, modelOf } from "../../job/message.ts";

/** How a job ended, for the hooks. */
export interface JobEnd {
  event: Extract<HookEvent, "completed" | "failed" | "timeout" | "cancelled" | "paused">;
  text: string;
  /** Why it is paused. */
  code?: PauseCode;
}

/** The handoff that a session begins from. A document by another tool may not say which session wrote it. */
export interface Beginning {
  number: number;
  session: string | null;
  path: string;
}

export function beforeRunNews(job: Job, now: Date): HookNews {
  const event = "before_run";
  const payload = jobPayload({ event, job: jobInput(job, "running") });
  return { event, payload, message: messageAbout({ type: "job:started" }, job, now) };
}

export function sessionStartNews(
  job: Job,
  { session, prompt, from }: { session: string; prompt: string; from: Beginning | undefined },
  now: Date,
): HookNews {
  const { ordinal } = job.sessions.find(({ id }) => id === session) ?? { ordinal: job.sessions.length };
  const mode = from ? "continuation" : "fresh";
  return {
    event: "session_start",
    payload: sessionStartPayload({
      session: sessionInput(job, session),
      prompt,
      ...(from && {
        continues: {
          handoff: from.number,
          documentPath: from.path,
          ...(from.session !== null && { previousSessionId: from.session }),
        },
      }),
    }),
    message: messageAbout({ type: "session:starting", session, ordinal, mode }, job, now),
  };
}

export function thresholdNews(
  job: Job,
  { session, context, trigger }: { session: string; context: ContextFigures; trigger: ThresholdTrigger },
  now: Date,
): HookNews {
  const { tokens, window } = context;
  return {
    event: "context_threshold",
    payload: contextThresholdPayload({
      trigger,
      context: { inputTokens: tokens, contextWindow: window, model: modelOf(job, session) },
      session: sessionInput(job, session),
      prompt: job.prompt,
    }),
    message: messageAbout({ type: "context:warning", session, context }, job, now),
  };
}

export function handoffNews(job: Job, stored: HandoffRecord, now: Date): HookNews {
  const { number, trigger, outcome, reason, documentPath, tokens, contextWindow, fromSession } = stored;
  const context = { inputTokens: tokens, contextWindow, model: modelOf(job, fromSession) };
  const told = { handoffNumber: number, session: fromSession, outcome, reason, documentPath };
  return {
    event: "handoff",
    payload: handoffPayload({
      handoff: { number, trigger, outcome, documentPath },
      session: sessionInput(job, fromSession),
      ...(contextWindow > 0 && { context }),
    }),
    message: messageAbout({ type: "handoff:stored", ...told }, job, now),
  };
}

export function endNews(job: Job, end: JobEnd, now: Date): HookNews {
  const { event, text } = end;
  const success = event === "completed";
  const result = success ? { success, output: text } : { success, output: "", error: text };
  return {
    event,
    payload: jobPayload({ event, job: jobInput(job, event, now), result }),
    message: messageAbout(milestone(job, end), job, now),
  };
}

/** What only `notify.hooks` hear of. */
export function noticeNews(
  job: Job,
  event: Exclude<NoticeEvent, "missed">,
  entry: JobEvent,
  now: Date,
): HookNews {
  const message = aboutEvent(entry, job);
  const { title, text } = message;
  return {
    event,
    payload: jobPayload({
      event,
      job: jobInput(job, job.status, event === "review" ? now : undefined),
      metadata: { title, text, ...evidenceIn(entry) },
    }),
    message,
  };
}

function evidenceIn(entry: JobEvent): Record<string, unknown> {
  switch (entry.type) {
    case "ask:made": {
      const { ask, name: tool, input, questions } = entry;
      return { ask, tool, input, ...(questions && { questions }) };
    }
    case "stall:suspected": {
      const { quietMs: quiet_ms, actsInMs: acts_in_ms, watched, tool } = entry;
      return { kind: "stall", quiet_ms, acts_in_ms, watched, ...(tool !== undefined && { tool }) };
    }
    case "circles:suspected": {
      const { kind, what, times, since } = entry;
      return { kind: `circles:${kind}`, what, times, since_event: since };
    }
    default:
      return {};
  }
}

function milestone({ denied }: Job, { event, text, code }: JobEnd): Milestone {
  switch (event) {
    case "completed":
      return { type: "job:completed", result: text, ...(denied && { denied }) };
    case "failed":
      return { type: "job:failed", error: text };
    case "paused":
      return { type: "job:paused", message: text, ...(code && { code }) };
    case "timeout":
    case "cancelled":
      return { type: `job:${event}`, message: text };
  }
}

/** A job in the words that hooks know. */
function jobInput(job: Job, status: string, completedAt?: Date): JobInput {
  const { workspace, workItem } = job;
  const { costUsd, isEstimate, simulatedUsd } = costFigure(job);
  const branch = branchOf(job);
  return {
    id: job.id,
    agent: job.agent,
    prompt: job.prompt,
    status,
    startedAt: job.createdAt,
    ...(completedAt && {
      completedAt: completedAt.toISOString(),
      durationMs: timeAtWork(job, completedAt),
    }),
    costUsd,
    costIsEstimate: isEstimate,
    ...(simulatedUsd !== undefined && { simulatedUsd }),
    turns: job.turns,
    sessions: job.sessions.length,
    handoffs: job.handoffs.length,
    ...(branch && { branch }),
    ...(workspace?.proposal && { pullRequest: workspace.proposal }),
    ...(workItem && { workItem }),
  };
}

function sessionInput(job: Job, sessionId: string): SessionInput {
  const { id: jobId, agent, workspace } = job;
  const branch = branchOf(job);
  return {
    sessionId,
    agent,
    jobId,
    root: workspace?.repo ?? workspace?.path ?? "",
    ...(workspace?.repo && { worktree: workspace.path, ...(branch && { branch }) }),
  };
}
