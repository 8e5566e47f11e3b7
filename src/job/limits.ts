import type { TokenUsage } from "../agents/events.ts";
import type { AgentConfig } from "../config/config.ts";
import { inWords } from "../config/reader/duration.ts";
import { money } from "../util/figures.ts";
import { isAllSimulated } from "./cost.ts";
import type { Job } from "./job.ts";

/** What a job has used since its allowance was last given. */
export interface Spent {
  costUsd: number;
  /** Not all of `costUsd` is the program's own figure. */
  isEstimate: boolean;
  /** All of it on the simulator. */
  isSimulated: boolean;
  turns: number;
  durationMs: number;
}

interface Response {
  model: string;
  usage?: TokenUsage;
  costUsd?: number;
}

/** The user's own limit that is reached, in words, or undefined. */
export function limitReached(limits: AgentConfig["limits"], spent: Spent): string | undefined {
  const cost = costLimitReached(limits, spent);
  if (cost !== undefined) return cost;
  if (limits.turns !== undefined && spent.turns >= limits.turns) {
    return `The job has taken ${spent.turns} ${spent.turns === 1 ? "turn" : "turns"}, and limits.turns is ${limits.turns}.`;
  }
  if (limits.durationMs !== undefined && spent.durationMs >= limits.durationMs) {
    return `The job has run for ${inWords(spent.durationMs)}, and limits.duration is ${inWords(limits.durationMs)}.`;
  }
  return undefined;
}

export function costLimitReached(limits: AgentConfig["limits"], spent: Spent): string | undefined {
  if (limits.costUsd === undefined || spent.costUsd < limits.costUsd) return undefined;
  const basis = spent.isSimulated ? "a simulated " : spent.isEstimate ? "an estimated " : "";
  const cost = `${basis}${money(spent.costUsd)}`;
  return `The job has cost ${cost}, and limits.cost_usd is ${limits.costUsd}.`;
}

/** Why no limit in dollars could hold after a response, or undefined. */
export function uncounted({ model, usage, costUsd }: Response): string | undefined {
  if (costUsd !== undefined) return undefined;
  return usage
    ? `What ${model} costs is not known, so no limit in dollars could hold. Say it in prices, or limit turns or duration instead.`
    : "The model's last answer did not say how many tokens it took, so no limit in dollars could hold. Limit turns or duration instead.";
}

export function spentBy(job: Job, now: Date): Spent {
  const { allowance } = job;
  return {
    costUsd: job.costUsd - allowance.costUsd,
    isEstimate: job.costBasis !== "told",
    isSimulated: isAllSimulated(job),
    turns: job.turns - allowance.turns,
    durationMs: timeAtWork(job, now) - allowance.activeMs,
  };
}

/** In milliseconds, over all its runs. */
export function timeAtWork({ activeMs, activeSince }: Job, now: Date): number {
  return activeMs + (activeSince === null ? 0 : now.getTime() - Date.parse(activeSince));
}

/** Doubles from `base`, at most a quarter of an hour. */
export function backoffMs(base: number, attempt: number): number {
  return Math.min(base * 2 ** (attempt - 1), 15 * 60_000);
}
