import type { Job } from "./job.ts";

/** What `baton show <job> --json` prints: its keys are a promise to users. */
export function jobView(job: Job) {
  const { id, agent, status, prompt, workspace, result, error, finishedAt } = job;
  return {
    id,
    agent,
    status,
    prompt,
    workspace: workspace && {
      path: workspace.path,
      ...(workspace.branch !== null && { branch: workspace.branch }),
      ...(workspace.base !== null && { base: workspace.base }),
    },
    sessions: job.sessions.map((session) => {
      const { id, ordinal, model, contextWindow, peakTokens, turns, endReason } = session;
      return { id, ordinal, model, contextWindow, peakTokens, turns, endReason };
    }),
    handoffs: job.handoffs.map((handoff) => {
      const { number, fromSession, toSession, trigger, source, tokens, contextWindow, percent } = handoff;
      const { documentPath, durationMs } = handoff;
      const figures = { tokens, contextWindow, percent };
      return {
        number,
        fromSession,
        toSession,
        trigger,
        source,
        ...figures,
        documentPath,
        durationMs,
      };
    }),
    usage: job.usage,
    costUsd: job.costUsd,
    ...(result !== null && { result }),
    ...(error !== null && { error }),
    createdAt: job.createdAt,
    ...(finishedAt !== null && { finishedAt }),
  };
}
