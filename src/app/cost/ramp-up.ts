import type { Job } from "../../job/job.ts";
import { type RampUp, type UsualRampUp, usualHandoffMs, usualRampUp } from "../../job/ramp-up.ts";
import { listJobs } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";

/** Of an agent, that handed off: what was usual long before them is usual no more. */
export const NEWEST_JOBS = 50;

/**
 * What the newest handoffs of an agent came to, in the jobs of one store: turns, tokens and time until the first new work.
 * Undefined where too few were measured.
 */
export async function usualRampUpOf(store: Store, agent: string): Promise<UsualRampUp | undefined> {
  return usualIn(await newestHandedOff(store, agent));
}

export function newestHandedOff(store: Store, agent: string): Promise<Job[]> {
  return listJobs(store, NEWEST_JOBS, { handedOff: true, agent });
}

/** What a handoff of an agent takes, by the newest of them. Undefined where there was none. */
export async function usualHandoffMsOf(store: Store, agent: string): Promise<number | undefined> {
  const jobs = await newestHandedOff(store, agent);
  return usualHandoffMs(jobs.flatMap(({ handoffs }) => handoffs));
}

/** What is usual at handoffs, of every agent that one of these jobs has. */
export async function usualRampUps(
  store: Store,
  jobs: readonly Job[],
): Promise<Map<string, UsualRampUp | undefined>> {
  const measured = jobs.filter((job) => rampUpsOf(job).length > 0);
  const agents = [...new Set(measured.map(({ agent }) => agent))];
  return new Map(
    await Promise.all(agents.map(async (agent) => [agent, await usualRampUpOf(store, agent)] as const)),
  );
}

/** The same of jobs at hand, the newest first. */
export function usualIn(jobs: readonly Pick<Job, "handoffs">[]): UsualRampUp | undefined {
  const handedOff = jobs.filter(({ handoffs }) => handoffs.length > 0);
  return usualRampUp(handedOff.slice(0, NEWEST_JOBS).flatMap(rampUpsOf));
}

export function rampUpsOf({ handoffs }: Pick<Job, "handoffs">): RampUp[] {
  return handoffs.flatMap(({ rampUp }) => rampUp ?? []);
}
