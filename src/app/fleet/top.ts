import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import type { Standing } from "../../job/budgets.ts";
import type { Job, JobStatus } from "../../job/job.ts";
import { standingsIn } from "../../jobs/budgets.ts";
import { pausesIn } from "../../store/fleet/pauses.ts";
import { listJobs } from "../../store/job-list.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { DAY_MS } from "../../util/time.ts";
import { type Answered, answerAsk, type Reply } from "../inbox/answer.ts";
import { inboxIn, needing } from "../inbox/inbox.ts";
import { cancelById } from "../jobs/cancel.ts";
import { handOffById } from "../jobs/hand-off.ts";
import { configOf, hasStore, openStoreOfJobs, type Project } from "../project.ts";
import { moveJob, pauseQueue, resumeQueue } from "./queue.ts";
import { type FleetView, fleetView, type QueuedView } from "./view.ts";

/** All that a person sees of the jobs of one project or several at one moment. */
export interface TopView {
  at: Date;
  fleet: FleetView;
  /** As they are configured now. */
  agents: readonly AgentConfig[];
  /** How much waits for a person: the rows of the inbox. */
  needYou: number;
  /** Nothing starts from its queue, because somebody paused it. */
  isPaused: boolean;
  /** What is left of budgets. */
  budgets: Standing[];
  /** The folders of their projects, by the ids of the jobs. */
  projects: ReadonlyMap<string, string>;
  /** Running or waiting, the oldest first. */
  atWork: Job[];
  /** In the order in which they start. */
  queued: { job: Job; place: QueuedView }[];
  /** Those that stopped in the last day, and can be continued, the newest first. */
  stopped: Job[];
  /** Those completed in the last day, the newest first. */
  completed: Job[];
}

/** More than fit on any screen. */
const MOST = 500;
const MOST_STOPPED = 50;
const MOST_COMPLETED = 20;

/** Looks at projects again and again, and acts on their jobs. Their stores stay open meanwhile. */
export class FleetWatch implements AsyncDisposable {
  readonly #watched: readonly Watched[];
  #view: TopView | undefined;

  private constructor(watched: readonly Watched[]) {
    this.#watched = watched;
  }

  /** Of several, those in which no job has run yet are left out. */
  static async open(projects: readonly Project[]): Promise<FleetWatch> {
    const withJobs = projects.filter(hasStore);
    const watched: Watched[] = [];
    try {
      for (const project of withJobs.length > 0 ? withJobs : projects)
        watched.push({ project, store: await openStoreOfJobs(project) });
      return new FleetWatch(watched);
    } catch (error) {
      for (const { store } of watched) await store.close();
      throw error;
    }
  }

  async look(now: Date): Promise<TopView> {
    const views: TopView[] = [];
    for (const each of this.#watched) views.push(await lookAt(each, now));
    this.#view = together(views, now);
    return this.#view;
  }

  async cancel(job: string): Promise<void> {
    await cancelById(this.#of(job).store, job);
  }

  /** Resolves when it is made, or with why it is not. */
  async handOff(job: string): Promise<string | undefined> {
    const { store, project } = this.#of(job);
    const answer = await handOffById(store, project, job, { env: ownEnvironment() });
    return "message" in answer ? answer.message : undefined;
  }

  /** Resolves with what became of the answer. Refused where an agent gives it, or the ask is about another call than this digest. */
  async answer(job: string, ask: string, reply: Reply): Promise<Answered> {
    return answerAsk(this.#of(job).project, ask, reply);
  }

  async move(job: string, to: "first" | "last"): Promise<void> {
    await moveJob(this.#of(job).project, job, { to });
  }

  async pauseQueue(): Promise<void> {
    for (const { project } of this.#watched) await pauseQueue(project, undefined);
  }

  async resumeQueue(): Promise<void> {
    for (const { project } of this.#watched) await resumeQueue(project, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { store } of this.#watched) await store.close();
  }

  #of(job: string): Watched {
    const root = this.#view?.projects.get(job);
    const found = this.#watched.find(({ project }) => project.root === root);
    if (!found) throw new Error(`${job} is of none of the projects that are shown.`);
    return found;
  }
}

interface Watched {
  project: Project;
  store: Store;
}

async function lookAt({ project, store }: Watched, now: Date): Promise<TopView> {
  await sweepInterrupted(store, now);
  const config = await configOf(project).catch(() => configWithoutFile(project.root));
  const fleet = await fleetView({ project, config, store });
  const jobs = (limit: number, ...status: JobStatus[]) => listJobs(store, limit, { status });
  const waiting = new Map((await jobs(MOST, "queued")).map((job) => [job.id, job]));
  const dayAgo = new Date(now.getTime() - DAY_MS).toISOString();
  const ofToday = (some: Job[]) => some.filter(({ updatedAt }) => updatedAt >= dayAgo);
  const atWork = (await jobs(MOST, "running", "waiting")).reverse();
  const stopped = ofToday(await jobs(MOST_STOPPED, "paused", "failed", "interrupted"));
  const completed = ofToday(await jobs(MOST_COMPLETED, "completed"));
  const shown = [...atWork, ...waiting.values(), ...stopped, ...completed];
  return {
    at: now,
    fleet,
    agents: config.agents,
    needYou: needing(await inboxIn(project, store, now)),
    isPaused: isPaused(project),
    budgets: await standingsIn(store, config.budgets, now),
    projects: new Map(shown.map(({ id }) => [id, project.root])),
    atWork,
    queued: fleet.queue.flatMap((place) => {
      const job = waiting.get(place.job);
      return job ? [{ job, place }] : [];
    }),
    stopped,
    completed,
  };
}

/** What several projects come to on one screen. Slots and accounts are those of all of them. */
function together(views: readonly TopView[], now: Date): TopView {
  const [first, ...others] = views;
  if (!first) throw new Error("There is no project to look at.");
  if (others.length === 0) return first;
  const fleets = views.map(({ fleet }) => fleet);
  const running = fleets.find(({ state }) => state !== "not running") ?? first.fleet;
  const problem = fleets.find(({ configurationProblem }) => configurationProblem)?.configurationProblem;
  const oldest = (a: Job, b: Job) => (a.createdAt < b.createdAt ? -1 : 1);
  const newest = (a: Job, b: Job) => (a.updatedAt < b.updatedAt ? 1 : -1);
  const places = views.flatMap(({ queued }) => queued);
  return {
    at: now,
    fleet: {
      ...running,
      running: fleets.flatMap((fleet) => fleet.running),
      queue: fleets.flatMap(({ queue }) => queue),
      ...(problem && { configurationProblem: problem }),
    },
    agents: views.flatMap(({ agents }) => agents),
    needYou: views.reduce((sum, { needYou }) => sum + needYou, 0),
    isPaused: views.every((view) => view.isPaused),
    budgets: views.flatMap(({ budgets }) => budgets),
    projects: new Map(views.flatMap(({ projects }) => [...projects])),
    atWork: views.flatMap(({ atWork }) => atWork).toSorted(oldest),
    queued: places.toSorted((a, b) => a.place.position - b.place.position),
    stopped: views.flatMap(({ stopped }) => stopped).toSorted(newest),
    completed: views.flatMap(({ completed }) => completed).toSorted(newest),
  };
}

function isPaused({ root }: Project): boolean {
  using state = lookIntoFleetState();
  return state ? pausesIn(state).some(({ project, agent }) => project === root && agent === null) : false;
}
