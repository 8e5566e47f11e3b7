import { DEFAULTS } from "../../config/defaults.ts";
import type { Limits, Waiting } from "../../fleet/admission.ts";
import { type QueueEntry, statusesOf } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import type { FleetProject } from "./projects.ts";

/** The jobs of a project that wait for a slot, among all in its queue. */
export async function waitingAmong(
  root: string,
  store: Store,
  entries: readonly QueueEntry[],
  now: Date,
): Promise<Waiting[]> {
  const waiting = entries.filter(({ status, isOwned }) => status === "queued" && !isOwned);
  const statuses = await statusesOf(store, [...new Set(waiting.flatMap(({ after }) => after))]);
  return waiting.map(({ job, agent, priority, place, queuedAt, after, held, heldUntil, serial }) => ({
    ...{ project: root, job, agent, priority, place, queuedAt },
    after: after.map((before) => ({ job: before, status: statuses.get(before) })),
    ...(serial !== null && { serial }),
    ...(held !== null && heldUntil !== null && now < new Date(heldUntil) && { held }),
  }));
}

/** The slots that are taken, each with what no other may run beside it. */
export function takenBy(
  slots: readonly { project: string; job: string; agent: string }[],
  entries: ReadonlyMap<string, readonly QueueEntry[]>,
) {
  return slots.map(({ project, job, agent }) => {
    const serial = entries.get(project)?.find((entry) => entry.job === job)?.serial;
    return { project, agent, ...(serial && { serial }) };
  });
}

/** How many jobs may run at once, by what the configurations say. */
export function limitsOf(projects: readonly Pick<FleetProject, "project" | "config">[]): Limits {
  const configs = new Map(projects.map(({ project, config }) => [project.root, config]));
  const ofProject = (project: string) =>
    configs.get(project)?.fleet.maxConcurrent ?? DEFAULTS.fleet.max_concurrent;
  const ofAll = projects
    .map(({ config }) => config.fleet.maxConcurrentOfAll)
    .find((most) => most !== undefined);
  return {
    total: ofAll ?? Math.max(...projects.map(({ project }) => ofProject(project.root))),
    ofProject,
    ofAgent: (project, agent) =>
      configs.get(project)?.agents.find(({ name }) => name === agent)?.instances.maxConcurrent ??
      DEFAULTS.instances.max_concurrent,
  };
}
