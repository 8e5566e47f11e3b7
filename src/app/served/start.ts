import { agentNamed } from "../../config/agent-named.ts";
import { newJobId } from "../../jobs/new-id.ts";
import type { JobOrigin } from "../../jobs/new-job.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { getJob } from "../../store/jobs.ts";
import type { Access } from "../access/access.ts";
import type { Principal } from "../access/principal.ts";
import { type Enqueued, enqueue, enqueueReady } from "../fleet/enqueue.ts";
import type { ReadyJob } from "../jobs/ready-job.ts";
import { configOf } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import type { ServedProject, ServedProjects } from "./projects.ts";

/** What somebody wants done. */
export interface WantedJob {
  agent?: string | undefined;
  prompt?: string | undefined;
  priority?: number | undefined;
  after?: readonly string[] | undefined;
  epic?: string | undefined;
  workItem?: { id: string; title?: string } | undefined;
  schedule?: string | undefined;
  maxCostUsd?: number | undefined;
}

/** Who starts it. */
export interface Starter {
  access: Access;
  served: ServedProjects;
  principal: Principal;
  /** By which they named the request: a job that was started by it before is not started again. */
  request: string | undefined;
}

/** Puts a job into the queue for somebody with a token, within what that may start. */
export async function startFor(
  starter: Starter,
  where: ServedProject,
  wanted: WantedJob,
): Promise<Pick<Enqueued, "job" | "queued">> {
  const { project } = where;
  const { maxCostUsd, agent, prompt } = wanted;
  const chosen = maxCostUsd === undefined ? undefined : { maxCostUsd };
  const config = await configOf(project, chosen && { chosen });
  const known =
    starter.request === undefined ? undefined : starter.access.startedAs(starter.principal, starter.request);
  if (known && (await isThere(where, known.job))) {
    return { job: known.job, queued: undefined };
  }
  if (!known) await refuseBeyond(starter);
  const id = known?.job ?? newJobId();
  // First: whoever is cut off here, and sends it again, starts the same job.
  if (!known)
    starter.access.willStart(starter.principal, {
      project: project.root,
      job: id,
      request: starter.request ?? null,
    });
  const origin: Omit<JobOrigin, "path"> = {
    ...(wanted.epic !== undefined && { epic: wanted.epic }),
    ...(wanted.workItem && { workItem: wanted.workItem }),
    ...(wanted.schedule !== undefined && { schedule: wanted.schedule }),
  };
  return await enqueue(project, {
    ...{ config, agent, prompt, origin, id },
    ...(wanted.priority !== undefined && { priority: wanted.priority }),
    ...(wanted.after && { after: wanted.after }),
  });
}

export async function isThere({ store }: ServedProject, job: string): Promise<boolean> {
  try {
    await getJob(store, job);
    return true;
  } catch (error) {
    if (error instanceof JobNotFoundError) return false;
    throw error;
  }
}

/** Puts a job that comes from another into the queue. */
export async function startReadyFor(
  starter: Starter,
  where: ServedProject,
  make: () => Promise<ReadyJob>,
): Promise<Enqueued> {
  await refuseBeyond(starter);
  await using ready = await make();
  starter.access.willStart(starter.principal, {
    project: where.project.root,
    job: ready.job,
    request: starter.request ?? null,
  });
  const enqueued = await enqueueReady(where.project, ready, { always: true });
  if (!enqueued) throw new Error(`${ready.job} was not queued`);
  return enqueued;
}

/** What a token may start within a day. */
export async function refuseBeyond({
  access,
  served,
  principal,
}: Pick<Starter, "access" | "served" | "principal">): Promise<void> {
  const { maxJobs, maxCostUsd, name } = principal;
  if (maxJobs === null && maxCostUsd === null) return;
  const started = access.startedToday(principal);
  if (maxJobs !== null && started.length >= maxJobs) {
    throw new UsageError(`${name} may start ${maxJobs} jobs within a day, and has.`);
  }
  if (maxCostUsd === null) return;
  let spent = 0;
  for (const { project, job } of started) {
    const where = served.all.find((each) => each.project.root === project);
    const found = where && (await getJob(where.store, job).catch(() => undefined));
    spent += found?.costUsd ?? 0;
  }
  if (spent >= maxCostUsd) {
    throw new UsageError(`The jobs that ${name} started within a day may cost $${maxCostUsd}, and did.`);
  }
}

/** Whether a limit is above what the configuration says, which is for a person to decide. */
export async function isRaised(
  { project }: ServedProject,
  agent: string | undefined,
  maxCostUsd: number,
): Promise<boolean> {
  const { limits } = agentNamed(await configOf(project), agent);
  return limits.costUsd !== undefined && maxCostUsd > limits.costUsd;
}
