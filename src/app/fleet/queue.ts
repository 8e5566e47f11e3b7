import { agentNamed } from "../../config/agent-named.ts";
import type { Job } from "../../job/job.ts";
import { type Pause, pause, pausesIn, unpause } from "../../store/fleet/pauses.ts";
import { findJob } from "../../store/jobs.ts";
import { moveInQueue, queueEntries, type Wanted } from "../../store/queue.ts";
import { openFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { configOf, openStoreOfJobs, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { comesAfter } from "./enqueue.ts";
import { type FleetView, fleetView } from "./view.ts";

export interface Move {
  /** Before or after all others that wait. */
  to?: "first" | "last";
  priority?: number;
  /** Jobs that must be completed first. */
  after?: readonly string[];
  /** It waits for no other job any more. */
  free?: boolean;
}

/** Gives a job that waits another place in the queue. */
export async function moveJob(
  project: Project,
  named: string,
  move: Move,
): Promise<{ job: Job; fleet: FleetView }> {
  await using store = await openStoreOfJobs(project);
  const { id, status } = await findJob(store, named);
  if (status !== "queued") throw new UsageError(`${id} is ${status}, so it has no place in the queue.`);
  const job = await moveInQueue(store, id, await wantedBy(store, id, move), new Date());
  if (!job) throw new UsageError(`${id} has just got a slot.`);
  return { job, fleet: await fleetView({ project, config: await configOf(project), store }) };
}

async function wantedBy(
  store: Store,
  id: string,
  { to, priority, after, free }: Move,
): Promise<Partial<Wanted>> {
  const others = (await queueEntries(store)).filter(({ job, status }) => job !== id && status === "queued");
  const priorities = others.map((each) => each.priority);
  const asked =
    to === undefined
      ? priority
      : to === "first"
        ? Math.max(0, ...priorities) + 1
        : Math.min(0, ...priorities) - 1;
  const first = await Promise.all((after ?? []).map(async (named) => (await comesAfter(store, named)).id));
  await refuseCircle(store, id, first);
  return {
    ...(asked !== undefined && { priority: asked }),
    ...((free || first.length > 0) && { after: first }),
  };
}

/** Jobs that wait for one another would never start. */
async function refuseCircle(store: Store, id: string, first: readonly string[]): Promise<void> {
  const entries = new Map((await queueEntries(store)).map(({ job, after }) => [job, after]));
  const seen = new Set<string>();
  const open = [...first];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id)
      throw new UsageError(`${id} would wait for itself: what it is to come after waits for it.`);
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(entries.get(next) ?? []));
  }
}

/** Nothing starts from the queue of a project, or nothing of one agent, until it is resumed. */
export async function pauseQueue(project: Project, agent: string | undefined): Promise<Omit<Pause, "since">> {
  const of = await paused(project, agent);
  using state = openFleetState();
  pause(state, { ...of, since: new Date().toISOString() });
  return of;
}

export async function resumeQueue(
  project: Project,
  agent: string | undefined,
): Promise<Omit<Pause, "since">> {
  const of = await paused(project, agent);
  using state = openFleetState();
  if (!unpause(state, of)) {
    if (agent !== undefined) throw new UsageError(`${agent} is not paused.`);
    const others = pausesIn(state).flatMap((each) =>
      each.project === project.root ? (each.agent ?? []) : [],
    );
    const [first] = others;
    const instead = first === undefined ? "" : ` ${others.join(", ")} is: baton queue resume ${first}`;
    throw new UsageError(`The queue is not paused.${instead}`);
  }
  return of;
}

async function paused(project: Project, agent: string | undefined): Promise<Omit<Pause, "since">> {
  const name = agent === undefined ? null : agentNamed(await configOf(project), agent).name;
  return { project: project.root, agent: name };
}
