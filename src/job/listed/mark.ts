import type { AgentConfig } from "../../config/config.ts";
import { triggerTokens } from "../../context/policy.ts";
import type { ContextFigures } from "../events.ts";
import { agentNow, type Job } from "../job.ts";
import { windowUse } from "../window.ts";

/** Of the agent, and of those that take over from it. */
export type Thresholds = Pick<AgentConfig, "session"> & Partial<Pick<AgentConfig, "standIns">>;

type Windows = Pick<Job, "agent" | "runsOn" | "context" | "pace">;

/** The tokens at which the session hands off; all of its window where that is not known. */
export function handoffMark(
  job: Pick<Job, "agent" | "runsOn">,
  { window, handoffAt }: ContextFigures,
  config: Thresholds | undefined,
): number {
  const known = { tokens: window, source: "live" as const };
  const state = { window: known, growth: undefined, autoCompactThreshold: undefined };
  const of = config?.standIns?.find(({ name }) => name === agentNow(job)) ?? config;
  return handoffAt ?? (of && triggerTokens(state, of.session)) ?? window;
}

/** About how many turns are left before the session hands off, as its job has used its windows so far. */
export function turnsToHandoff(job: Windows, config: Thresholds | undefined): number | undefined {
  const { context, pace } = job;
  const used = context && windowUse(context)?.tokens;
  if (!context?.window || !used || !pace || pace.turns === 0 || pace.growth <= 0) return undefined;
  return Math.max(0, Math.floor((handoffMark(job, context, config) - used) / (pace.growth / pace.turns)));
}
