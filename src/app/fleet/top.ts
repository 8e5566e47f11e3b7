import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import type { Job, JobStatus } from "../../job/job.ts";
import { listJobs } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { DAY_MS } from "../../util/time.ts";
import { audited } from "../access/audit.ts";
import { eachOnce, type KnownBudget, knownBudgets } from "../cost/budgets.ts";
import { type Answered, answerAsk, type Reply } from "../inbox/answer.ts";
import { inboxIn, needing } from "../inbox/inbox.ts";
import { cancelById } from "../jobs/cancel.ts";
import { handOffById } from "../jobs/hand-off.ts";
import { configOf, hasStore, openStoreOfJobs, type Project } from "../project.ts";
import { moveJob, pauseQueue, resumeQueue } from "./queue.ts";
import { type FleetView, fleetOfProject, fleetView, type QueuedView } from "./view.ts";

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
  budgets: KnownBudget[];
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
  readonly #projects: readonly Project[];
  readonly #stores = new Map<Project, Store>();
  #view: TopView | undefined;

  constructor(projects: readonly Project[]) {
    this.#projects = projects;
  }

  async look(now: Date): Promise<TopView> {
    const views: TopView[] = [];
    for (const project of this.#projects) {
      const store = await this.#storeOf(project);
      views.push(store ? await lookAt({ project, store }, now) : await lookAtNoJobs(project, now));
    }
    this.#view = together(views, now);
    return this.#view;
  }

  /** There is none before the first job, which may come while somebody looks. */
  async #storeOf(project: Project): Promise<Store | undefined> {
    const open = this.#stores.get(project);
    if (open || !hasStore(project)) return open;
    const store = await openStoreOfJobs(project);
    this.#stores.set(project, store);
    return store;
  }

  async cancel(job: string): Promise<void> {
    const { store, project } = this.#of(job);
    await audited({ what: "cancel", target: job, project: project.root }, () => cancelById(store, job));
  }

  /** Resolves when it is made, or with why it is not. */
  async handOff(job: string): Promise<string | undefined> {
    const { store, project } = this.#of(job);
    const answer = await audited({ what: "handoff", target: job, project: project.root }, () =>
      handOffById(store, project, job, { env: ownEnvironment() }),
    );
    return "message" in answer ? answer.message : undefined;
  }

  /** Resolves with what became of the answer. Refused where an agent gives it, or the ask is about another call than this digest. */
  async answer(job: string, ask: string, reply: Reply): Promise<Answered> {
    const { project } = this.#of(job);
    const what = reply.answer === "yes" ? "approve" : reply.answer === "no" ? "deny" : "answer";
    return audited({ what, target: ask, project: project.root }, () => answerAsk(project, ask, reply));
  }

  async move(job: string, to: "first" | "last"): Promise<void> {
    const { project } = this.#of(job);
    await audited({ what: "queue move", target: job, project: project.root }, () =>
      moveJob(project, job, { to }),
    );
  }

  async pauseQueue(): Promise<void> {
    for (const project of this.#projects)
      await audited({ what: "queue pause", project: project.root }, () => pauseQueue(project, undefined));
  }

  async resumeQueue(): Promise<void> {
    for (const project of this.#projects)
      await audited({ what: "queue resume", project: project.root }, () => resumeQueue(project, undefined));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores.values()) await store.close();
  }

  #of(job: string): Watched {
    const root = this.#view?.projects.get(job);
    const project = this.#projects.find((each) => each.root === root);
    const store = project && this.#stores.get(project);
    if (store) return { project, store };
    throw new Error(`${job} is of none of the projects that are shown.`);
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
    isPaused: isPaused(fleet),
    budgets: await knownBudgets(store, config.budgets, now),
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

async function lookAtNoJobs(project: Project, at: Date): Promise<TopView> {
  const none = { needYou: 0, budgets: [], atWork: [], queued: [], stopped: [], completed: [] };
  const fleet = await fleetOfProject(project);
  return { at, fleet, agents: [], isPaused: isPaused(fleet), projects: new Map(), ...none };
}

function isPaused({ paused = [] }: FleetView): boolean {
  return paused.some(({ agent }) => agent === null);
}

/** What several projects come to on one screen. Slots and accounts are those of all of them. */
function together(views: readonly TopView[], now: Date): TopView {
  const [first, ...others] = views;
  if (!first) throw new Error("There is no project to look at.");
  if (others.length === 0) return first;
  const fleets = views.map(({ fleet }) => fleet);
  // Whose agents are paused, their rows say.
  const { paused: _, ...running } = fleets.find(({ state }) => state !== "not running") ?? first.fleet;
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
    budgets: eachOnce(views.flatMap(({ budgets }) => budgets)),
    projects: new Map(views.flatMap(({ projects }) => [...projects])),
    atWork: views.flatMap(({ atWork }) => atWork).toSorted(oldest),
    queued: places.toSorted((a, b) => a.place.position - b.place.position),
    stopped: views.flatMap(({ stopped }) => stopped).toSorted(newest),
    completed: views.flatMap(({ completed }) => completed).toSorted(newest),
  };
}
