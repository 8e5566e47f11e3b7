import { costOfAll } from "../../job/cost.ts";
import type { CostBasis, Job } from "../../job/job.ts";
import { timeAtWork } from "../../job/limits.ts";
import { listJobs } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";

/** What the last jobs of an agent, or of one of its schedules, took and cost: an estimate of what the next will. */
export interface Usual {
  /** How many there were. */
  jobs: number;
  /** The median of their times at work. */
  durationMs: number;
  /** The median of how often they handed off. */
  handoffs: number;
  /** The mean of those whose cost is known; undefined where it is known of none. */
  cost: UsualCost | undefined;
}

export interface UsualCost {
  costUsd: number;
  costBasis: CostBasis;
  simulatedUsd?: number;
}

const LAST_JOBS = 50;
/** With fewer of its own, a schedule goes by all jobs of its agent. */
const ENOUGH = 3;

/** What each agent's jobs usually take, by what is on record. */
export async function usualIn(
  store: Store,
  agents: readonly string[],
): Promise<(agent: string, schedule?: string) => Usual | undefined> {
  const jobs = new Map<string, Job[]>();
  for (const agent of agents) {
    // One that failed took its time and its money, too.
    jobs.set(agent, await listJobs(store, LAST_JOBS, { agent, status: ["completed", "failed"] }));
  }
  return (agent, schedule) => {
    const all = jobs.get(agent) ?? [];
    const own = all.filter((job) => schedule !== undefined && job.schedule === schedule);
    return usualOf(own.length >= ENOUGH ? own : all);
  };
}

function usualOf(jobs: readonly Job[]): Usual | undefined {
  if (jobs.length === 0) return undefined;
  return {
    jobs: jobs.length,
    durationMs: median(jobs.map((job) => timeAtWork(job, new Date(job.updatedAt)))),
    handoffs: median(jobs.map(({ handoffs }) => handoffs.length)),
    cost: meanCost(jobs.filter(({ costBasis }) => costBasis !== "unknown")),
  };
}

function meanCost(jobs: readonly Job[]): UsualCost | undefined {
  if (jobs.length === 0) return undefined;
  const { costUsd, costBasis, simulatedUsd } = costOfAll(jobs);
  return {
    ...{ costUsd: costUsd / jobs.length, costBasis },
    ...(simulatedUsd !== undefined && { simulatedUsd: simulatedUsd / jobs.length }),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
