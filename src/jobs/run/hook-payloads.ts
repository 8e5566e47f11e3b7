import type { HookEvent } from "../../config/hook-config.ts";
import {
  type ContextThresholdPayload,
  contextThresholdPayload,
  type HandoffPayload,
  handoffPayload,
  type JobInput,
  type JobPayload,
  jobPayload,
  type SessionInput,
} from "../../hooks/payload.ts";
import type { ContextFigures } from "../../job/events.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";

export type JobEndEvent = Extract<HookEvent, "completed" | "failed" | "timeout" | "cancelled" | "paused">;

/** A job in the words that hooks know. */
export function jobInput(job: Job, status: string, completedAt?: Date): JobInput {
  const { workspace, workItem } = job;
  return {
    id: job.id,
    agent: job.agent,
    prompt: job.prompt,
    status,
    startedAt: job.createdAt,
    ...(completedAt && { completedAt: completedAt.toISOString() }),
    costUsd: job.costUsd,
    turns: job.turns,
    sessions: job.sessions.length,
    handoffs: job.handoffs.length,
    // Of a job without a worktree it is known only where the folder stood at the start.
    ...(workspace?.repo && workspace.branch && { branch: workspace.branch }),
    ...(workspace?.proposal && { pullRequest: workspace.proposal }),
    ...(workItem && { workItem }),
  };
}

export function sessionInput({ id: jobId, agent, workspace }: Job, sessionId: string): SessionInput {
  return {
    sessionId,
    agent,
    jobId,
    root: workspace?.repo ?? workspace?.path ?? "",
    ...(workspace?.repo && {
      worktree: workspace.path,
      ...(workspace.branch && { branch: workspace.branch }),
    }),
  };
}

export function thresholdPayload(
  job: Job,
  session: string,
  { tokens, window }: ContextFigures,
): ContextThresholdPayload {
  return contextThresholdPayload({
    context: { inputTokens: tokens, contextWindow: window, model: modelOf(job, session) },
    session: sessionInput(job, session),
    prompt: job.prompt,
  });
}

export function handoffPayloadOf(job: Job, stored: HandoffRecord): HandoffPayload {
  const { number, trigger, outcome, documentPath, tokens, contextWindow, fromSession } = stored;
  const context = { inputTokens: tokens, contextWindow, model: modelOf(job, fromSession) };
  return handoffPayload({
    handoff: { number, trigger, outcome, documentPath },
    session: sessionInput(job, fromSession),
    ...(contextWindow > 0 && { context }),
  });
}

export function endPayload(job: Job, event: JobEndEvent, text: string, now: Date): JobPayload {
  const success = event === "completed";
  const result = success ? { success, output: text } : { success, output: "", error: text };
  return jobPayload({ event, job: jobInput(job, event, now), result });
}

function modelOf({ sessions }: Job, session: string): string {
  return sessions.find(({ id }) => id === session)?.model ?? "unknown";
}
