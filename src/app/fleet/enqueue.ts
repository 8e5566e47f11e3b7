import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { missedMark } from "../../fleet/inbox/done.ts";
import { serialOf } from "../../fleet/schedules/fires.ts";
import type { Job } from "../../job/job.ts";
import type { JobOrigin } from "../../jobs/new-job.ts";
import { putConversation } from "../../store/conversations/conversations.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { markDone } from "../../store/inbox-done.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import { queueAgain, type Wanted } from "../../store/queue.ts";
import { firesOf } from "../../store/schedules.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { heardBy } from "../conversations/channel.ts";
import { trustedAgent } from "../jobs/ready.ts";
import { type ReadyJob, recordedIn } from "../jobs/ready-job.ts";
import { refuseOver } from "../jobs/resumable.ts";
import { startedFrom } from "../jobs/start.ts";
import { configOf, openProjectStore, openStoreOfJobs, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import type { FleetProject } from "./projects.ts";
import { refuseWithoutItem, scheduleNamed } from "./schedules.ts";
import { type FleetView, fleetView, type QueuedView } from "./view.ts";

interface WantedInQueue extends PlaceWanted {
  config: Config;
  /** The name of the agent. Needed where there are several. */
  agent: string | undefined;
  /** Undefined: what the configuration says that it is asked without words. */
  prompt: string | undefined;
  origin: Omit<JobOrigin, "path">;
  /** That the job gets. Default: a new one. */
  id?: string;
}

/** A job that was put into the queue, and how it stands there. */
export interface Enqueued {
  job: string;
  queued: QueuedView | undefined;
  fleet: FleetView;
}

/** Puts a job into the queue. It starts nothing by itself; whether its agent is ready is seen when it has a slot. */
export async function enqueue(project: Project, wanted: WantedInQueue): Promise<Enqueued> {
  const { config, origin } = wanted;
  const agent = await trustedAgent(config, wanted.agent);
  if (origin.schedule !== undefined) refuseWithoutItem(scheduleNamed(agent, origin.schedule));
  const prompt = wanted.prompt ?? agent.defaultPrompt;
  if (prompt === undefined) {
    throw new UsageError(
      `${agent.name} has no default_prompt. Say what to do: baton trigger ${agent.name} --prompt "…", or set default_prompt in baton.yaml.`,
    );
  }
  await using store = await openProjectStore(project);
  const schedule = origin.schedule === undefined ? undefined : scheduleNamed(agent, origin.schedule);
  // As if it had come due: it keeps to what the schedule says of runs that meet.
  const serial = schedule && serialOf(agent.name, schedule);
  const place = { ...(await placed(store, wanted)), ...given({ serial }) };
  const startedBy = await startedFrom();
  const job = await recordedIn(project, store, {
    origin: { ...config, ...origin, ...(startedBy && { startedBy }) },
    agent,
    prompt,
    place,
    ...given({ id: wanted.id }),
  });
  const heard = schedule && heardBy(agent, schedule, job, new Date());
  if (heard) await putConversation(store, heard);
  if (schedule) await noLongerMissed(store, agent.name, schedule.name);
  return await standing({ project, config, store }, job);
}

/** A run that was missed waits for a person in the inbox until one is started. */
async function noLongerMissed(store: Store, agent: string, schedule: string): Promise<void> {
  const [last] = await firesOf(store, 1, { agent, schedule });
  if (last?.outcome === "missed") await markDone(store, [missedMark(last)], new Date());
}

/** Where a job is to stand in the queue. */
export interface PlaceWanted {
  priority?: number;
  /** Jobs that must be completed first, by their ids or the beginnings of them. */
  after?: readonly string[];
}

/** Puts a job that rests into the queue. `chosen`: what changes of what was chosen for it. */
export async function enqueueResting(
  project: Project,
  named: string,
  place: PlaceWanted,
  anew: Chosen = {},
): Promise<Enqueued> {
  await using store = await openStoreOfJobs(project);
  const job = await findJob(store, named);
  refuseOver(job);
  if (job.status === "queued")
    throw new UsageError(`${job.id} is queued already. Move it with: baton queue move ${job.id}`);
  const chosen = { ...job.chosen, ...anew };
  const { refuseOtherFolder } = await import("../jobs/chosen.ts");
  refuseOtherFolder(chosen, job);
  const config = await configOf(
    job.configPath === null ? project : { ...project, configPath: job.configPath },
    { chosen },
  );
  const wanted = { ...(await placed(store, place)), ...runsOf(await trustedAgent(config, job.agent), job) };
  await queueAgain(store, job.id, { wanted, ...(Object.keys(anew).length > 0 && { chosen }) }, new Date());
  return await standing({ project, config: await configOf(project), store }, job.id);
}

/**
 * Puts a job that was to run in the background into the queue of the fleet that runs. Undefined where none does, unless it is to
 * wait for one: `always`.
 */
export async function enqueueReady(
  project: Project,
  { store, job, config: agent, resumed }: ReadyJob,
  { always = false, ...place }: PlaceWanted & { always?: boolean } = {},
): Promise<Enqueued | undefined> {
  using state = lookIntoFleetState();
  const fleet = state && fleetOf(state, project.root);
  if (!always && (!fleet || fleet.asked !== null)) return undefined;
  const chosen = resumed?.chosen;
  const wanted = { ...(await placed(store, place)), ...runsOf(agent, await getJob(store, job)) };
  await queueAgain(store, job, { wanted, ...(chosen && { chosen }) }, new Date());
  return await standing({ project, config: await configOf(project), store }, job);
}

/** One of a schedule keeps to what that says of runs that meet, however often it is resumed. */
function runsOf(agent: AgentConfig, job: Job): Pick<Wanted, "serial"> {
  const schedule = agent.schedules.find(({ name }) => name === job.schedule);
  return schedule && !schedule.workSource ? given({ serial: serialOf(agent.name, schedule) }) : {};
}

async function placed(store: Store, { priority = 0, after = [] }: PlaceWanted): Promise<Wanted> {
  const first = await Promise.all(after.map(async (named) => (await comesAfter(store, named)).id));
  return { priority, ...(first.length > 0 && { after: [...new Set(first)] }) };
}

async function standing(where: FleetProject, job: string): Promise<Enqueued> {
  const fleet = await fleetView(where);
  return { job, queued: fleet.queue.find((each) => each.job === job), fleet };
}

/** The job that another is to come after. One that is over and not completed would be waited for without end. */
export async function comesAfter(store: Store, named: string) {
  const job = await findJob(store, named);
  if (job.status !== "failed" && job.status !== "cancelled") return job;
  throw new UsageError(
    `${job.id} is ${job.status}, so nothing can come after its completion. Resume it first: baton resume ${job.id} --queue`,
  );
}
