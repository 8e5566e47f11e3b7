import { containerView } from "./container.ts";
import { costFigure, usageFigure } from "./cost.ts";
import { deniedView } from "./denied.ts";
import type { ContextFigures, Parent } from "./events.ts";
import { agentNow, endOf, type HandoffRecord, type Job, type SessionRecord } from "./job.ts";
import { isFarAbove, type RampUp, type UsualRampUp } from "./ramp-up.ts";

export type JobView = ReturnType<typeof jobView>;

/** What `baton show <job> --json` prints: its keys are a promise to users. `usual`: the ramp-up of its agent, where asked for. */
export function jobView(job: Job, usual?: UsualRampUp) {
  const last = job.sessions.at(-1);
  const { id, agent, status, prompt, epic, workItem, continues, workspace, result, error, finishedAt } = job;
  const { costUsd, isEstimate, simulatedUsd } = costFigure(job);
  return {
    id,
    agent,
    runsOn: agentNow(job),
    status,
    prompt,
    ...(epic !== null && { epic }),
    ...(workItem !== null && { workItem }),
    ...(job.chosen && { chosen: job.chosen }),
    ...(job.conversation && { conversation: job.conversation }),
    ...(continues !== null && { continues: continues.document }),
    ...(job.parent && { parent: parentView(job.parent) }),
    ...(job.pauseRequested && { pauseRequested: true }),
    ...(job.stall && { stall: { since: job.stall.at, quietMs: job.stall.quietMs } }),
    ...(job.circles && job.circles.length > 0 && { circles: job.circles.map(circleView) }),
    ...(job.startedBy && { startedBy: job.startedBy }),
    ...(job.report && { report: job.report }),
    workspace: workspace && {
      path: workspace.path,
      ...(workspace.branch !== null && { branch: workspace.branch }),
      ...(workspace.base !== null && { base: workspace.base }),
      ...(workspace.repo !== null && {
        strategy: workspace.strategy,
        state: workspace.state,
        repo: workspace.repo,
        baseBranch: workspace.baseBranch,
        ports: workspace.ports,
      }),
      ...(workspace.pushed !== null && { pushed: workspace.pushed }),
      ...(workspace.proposal !== null && { pullRequest: workspace.proposal }),
      ...(workspace.reason !== null && { reason: workspace.reason }),
    },
    ...(job.container && { container: containerView(job.container, job.deniedHosts) }),
    sessions: job.sessions.map((session) => {
      const { id, ordinal, model, contextWindow, turns, runtime } = session;
      const who = { agent: session.agent ?? agent, ...(runtime !== undefined && { runtime }) };
      const endReason = endOf(job, session);
      return { id, ordinal, ...who, model, contextWindow, ...peakView(session), turns, endReason };
    }),
    handoffs: job.handoffs.map((handoff) => handoffView(handoff, usual)),
    ...(job.switches && { switches: job.switches.map(switchView) }),
    ...(job.todos && { todos: job.todos }),
    ...(job.context !== null && last && endOf(job, last) === null
      ? { context: contextView(job.context) }
      : {}),
    usage: usageFigure(job.usage, job.turns),
    ...(job.uncounted !== undefined && { responsesOfUnknownUsage: job.uncounted }),
    costUsd,
    costEstimated: isEstimate,
    ...(simulatedUsd !== undefined && { simulatedCostUsd: simulatedUsd }),
    ...(result !== null && { result }),
    ...(error !== null && { error }),
    ...(job.denied && job.denied.length > 0 && { denied: job.denied.map(deniedView) }),
    ...(job.time && { timeMs: job.time.split }),
    createdAt: job.createdAt,
    ...(finishedAt !== null && { finishedAt }),
    ...(job.compacted && { compacted: job.compacted }),
  };
}

/** `until`: from when on the agent before can work again, where that is known. */
/** Null where there were answers, and none said how full the window was. */
function peakView({ peakTokens, peakIsEstimate, turns }: SessionRecord) {
  const isUnknown = peakTokens === 0 && turns > 0;
  return { peakTokens: isUnknown ? null : peakTokens, ...(peakIsEstimate && { peakIsEstimate }) };
}

function switchView({ at, from, to, reason, message, until }: NonNullable<Job["switches"]>[number]) {
  return {
    at,
    from,
    to,
    reason,
    message,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

function parentView(parent: Parent) {
  const { job, by } = parent;
  if (by === "retry") return { job, by };
  const { checkpoint, handoff } = parent;
  return {
    job,
    by,
    ...(checkpoint !== undefined && { checkpoint }),
    ...(handoff !== undefined && { handoff }),
  };
}

function circleView({ kind, what, times, at }: NonNullable<Job["circles"]>[number]) {
  return { kind, what, times, since: at };
}

/** How full the newest session's window is. `pendingEstimate`: what results of tools add to `tokens`, about. */
function contextView({ tokens, window, percent, isEstimate, pending, handoffAt }: ContextFigures) {
  return {
    tokens,
    contextWindow: window,
    percent,
    ...(isEstimate && { isEstimate }),
    ...(pending !== undefined && { pendingEstimate: pending }),
    ...(handoffAt !== undefined && { handoffAt }),
  };
}

/** One of the `handoffs` above. */
export function handoffView(handoff: HandoffRecord, usual?: UsualRampUp) {
  const { number, storedAt, fromSession, toSession, trigger, source, outcome, checks } = handoff;
  const { tokens, contextWindow, percent, documentPath, durationMs } = handoff;
  const figures = {
    tokens,
    contextWindow,
    percent,
    ...(handoff.isEstimate && { isEstimate: true }),
    ...(handoff.pending !== undefined && { pendingEstimate: handoff.pending }),
  };
  const how = { trigger, source, outcome, checks };
  const rampUp = handoff.rampUp ? rampUpView(handoff.rampUp, usual) : null;
  return { number, storedAt, fromSession, toSession, ...how, ...figures, documentPath, durationMs, rampUp };
}

/** What the next session spent before its first new work, and did again. */
export function rampUpView(rampUp: RampUp, usual?: UsualRampUp) {
  const { state, turns, tokens, ms, costUsd, readAgain, repeated, redone } = rampUp;
  return {
    state,
    turns,
    tokens,
    seconds: seconds(ms),
    costEstimateUsd: costUsd,
    filesReadAgain: { count: readAgain.count, paths: readAgain.names },
    commandsRepeated: { count: repeated.count, commands: repeated.names },
    editsRedone: { count: redone.count, paths: redone.names },
    ...(usual && { median: usualRampUpView(usual), isFarAbove: isFarAbove(rampUp, usual) }),
  };
}

export function usualRampUpView({ handoffs, turns, tokens, ms }: UsualRampUp) {
  return { handoffs, turns, tokens, seconds: seconds(ms) };
}

const seconds = (ms: number) => Math.round(ms / 100) / 10;
