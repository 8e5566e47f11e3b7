import { agentNamed } from "../../config/agent-named.ts";
import { type Chosen, costWithin } from "../../config/chosen.ts";
import type { Job } from "../../job/job.ts";
import { newJobId } from "../../jobs/new-id.ts";
import type { JobOrigin } from "../../jobs/new-job.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { getJob } from "../../store/jobs.ts";
import { given } from "../../util/given.ts";
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
  const { access, principal, request } = starter;
  const { maxCostUsd, agent, prompt } = wanted;
  const known = request === undefined ? undefined : access.startedAs(principal, request);
  if (known && (await isThere(where, known.job))) {
    return { job: known.job, queued: undefined };
  }
  const left = await leftFor(starter, known?.job);
  const wants = maxCostUsd === undefined ? {} : { maxCostUsd };
  const limits = maxCostUsd === undefined && left !== undefined ? await limitsOf(where, agent) : {};
  const chosen = { ...wants, ...costWithin(left, { ...limits, ...given({ costUsd: maxCostUsd }) }) };
  const config = await configOf(project, chosen.maxCostUsd === undefined ? {} : { chosen });
  const id = known?.job ?? newJobId();
  // First: whoever is cut off here, and sends it again, starts the same job.
  if (!known) access.willStart(principal, { project: project.root, job: id, request: request ?? null });
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

/** Puts a job that comes from another into the queue. `make`: with what is to be chosen for it besides. */
export async function startAgainFor(
  starter: Starter,
  where: ServedProject,
  from: Job,
  make: (chosen: Chosen) => Promise<ReadyJob>,
): Promise<Enqueued> {
  const left = await leftFor(starter);
  const limits = left === undefined ? {} : await limitsOf(where, from.agent);
  await using ready = await make(
    costWithin(left, { ...limits, ...given({ costUsd: from.chosen?.maxCostUsd }) }),
  );
  starter.access.willStart(starter.principal, {
    project: where.project.root,
    job: ready.job,
    request: starter.request ?? null,
  });
  const enqueued = await enqueueReady(where.project, ready, { always: true });
  if (!enqueued) throw new Error(`${ready.job} was not queued`);
  return enqueued;
}

/**
 * What is chosen anew for a job that a token resumes. One that may start only so much resumes what it started itself: the rest would
 * be on somebody else's account.
 */
export async function resumedFor(
  starter: Starter,
  job: Job,
  maxCostUsd: number | undefined,
): Promise<Chosen> {
  const { access, principal } = starter;
  const wanted = given({ maxCostUsd });
  if (principal.maxJobs === null && principal.maxCostUsd === null) return wanted;
  if (!access.hasStarted(principal, job.id))
    throw new UsageError(
      `${principal.name} is limited in what it may start, so it resumes only what it started, and not ${job.id}.`,
    );
  const left = await spendable(starter, job.id);
  if (left === undefined) return wanted;
  if (left === 0 || (maxCostUsd !== undefined && maxCostUsd > left)) throw spent(principal);
  return { ...costWithin(left, given({ costUsd: costLimitOf(job) })), ...wanted };
}

/**
 * What the next job of a token may cost, within what the token may start in a day. Undefined: as much as is configured. Refuses
 * where it may start nothing more. `except`: the job that is to start is on record already.
 */
export async function leftFor(
  starter: Pick<Starter, "access" | "served" | "principal">,
  except?: string,
): Promise<number | undefined> {
  const { access, principal } = starter;
  const { maxJobs, name } = principal;
  if (
    maxJobs !== null &&
    access.startedToday(principal).filter(({ job }) => job !== except).length >= maxJobs
  )
    throw new UsageError(`${name} may start ${maxJobs} jobs within a day, and has.`);
  const left = await spendable(starter, except);
  if (left === undefined || left > 0) return left;
  throw spent(principal);
}

function spent({ name, maxCostUsd }: Principal): UsageError {
  return new UsageError(
    `The jobs that ${name} starts within a day may cost $${maxCostUsd}: they did, or those that are not over yet may. Where each may cost less, by maxCostUsd or limits.cost_usd, several fit.`,
  );
}

/** What its jobs of a day leave of what they may cost. Those that are not over are counted with all that they may cost. */
async function spendable(
  { access, served, principal }: Pick<Starter, "access" | "served" | "principal">,
  except: string | undefined,
): Promise<number | undefined> {
  if (principal.maxCostUsd === null) return undefined;
  let left = principal.maxCostUsd;
  for (const { project, job } of access.startedToday(principal)) {
    if (job === except) continue;
    const where = served.all.find((each) => each.project.root === project);
    const found = where && (await getJob(where.store, job).catch(() => undefined));
    if (found) left -= Math.max(found.costUsd ?? 0, isOver(found) ? 0 : (costLimitOf(found) ?? 0));
  }
  return Math.max(0, left);
}

const costLimitOf = ({ chosen, agentConfig }: Pick<Job, "chosen" | "agentConfig">) =>
  chosen?.maxCostUsd ?? agentConfig?.limits?.costUsd;

const isOver = ({ status }: Job) => status === "completed" || status === "failed" || status === "cancelled";

async function limitsOf(
  { project }: ServedProject,
  agent: string | undefined,
): Promise<{ costUsd?: number }> {
  return given({ costUsd: agentNamed(await configOf(project), agent).limits.costUsd });
}

/** Whether a limit is above what the configuration says, which is for a person to decide. */
export async function isRaised(
  where: ServedProject,
  agent: string | undefined,
  maxCostUsd: number,
): Promise<boolean> {
  const { costUsd } = await limitsOf(where, agent);
  return costUsd !== undefined && maxCostUsd > costUsd;
}
