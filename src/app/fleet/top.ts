import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import type { Job, JobStatus } from "../../job/job.ts";
import { pausesIn } from "../../store/fleet/pauses.ts";
import { listJobs } from "../../store/job-list.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { DAY_MS } from "../../util/time.ts";
import { inboxIn, needing } from "../inbox/inbox.ts";
import { cancelById } from "../jobs/cancel.ts";
import { handOffById } from "../jobs/hand-off.ts";
import { configOf, openStoreOfJobs, type Project } from "../project.ts";
import { moveJob, pauseQueue, resumeQueue } from "./queue.ts";
import { type FleetView, fleetView, type QueuedView } from "./view.ts";

/** All that a person sees of a project's jobs at one moment. */
export interface TopView {
  at: Date;
  fleet: FleetView;
  /** As they are configured now. */
  agents: readonly AgentConfig[];
  /** How much waits for a person: the rows of the inbox. */
  needYou: number;
  /** Nothing starts from its queue, because somebody paused it. */
  isPaused: boolean;
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

/** Looks at a project again and again, and acts on its jobs. Its store stays open meanwhile. */
export class FleetWatch implements AsyncDisposable {
  readonly #project: Project;
  readonly #store: Store;

  private constructor(project: Project, store: Store) {
    this.#project = project;
    this.#store = store;
  }

  static async open(project: Project): Promise<FleetWatch> {
    return new FleetWatch(project, await openStoreOfJobs(project));
  }

  async look(now: Date): Promise<TopView> {
    const [project, store] = [this.#project, this.#store];
    await sweepInterrupted(store, now);
    const config = await configOf(project).catch(() => configWithoutFile(project.root));
    const fleet = await fleetView({ project, config, store });
    const waiting = new Map((await this.#jobs(MOST, "queued")).map((job) => [job.id, job]));
    const dayAgo = new Date(now.getTime() - DAY_MS).toISOString();
    const ofToday = (jobs: Job[]) => jobs.filter(({ updatedAt }) => updatedAt >= dayAgo);
    return {
      at: now,
      fleet,
      agents: config.agents,
      needYou: needing(await inboxIn(project, store, now)),
      isPaused: isPaused(project),
      atWork: (await this.#jobs(MOST, "running", "waiting")).reverse(),
      queued: fleet.queue.flatMap((place) => {
        const job = waiting.get(place.job);
        return job ? [{ job, place }] : [];
      }),
      stopped: ofToday(await this.#jobs(MOST_STOPPED, "paused", "failed", "interrupted")),
      completed: ofToday(await this.#jobs(MOST_COMPLETED, "completed")),
    };
  }

  #jobs(limit: number, ...status: JobStatus[]): Promise<Job[]> {
    return listJobs(this.#store, limit, { status });
  }

  async cancel(job: string): Promise<void> {
    await cancelById(this.#store, job);
  }

  /** Resolves when it is made, or with why it is not. */
  async handOff(job: string): Promise<string | undefined> {
    const answer = await handOffById(this.#store, this.#project, job, { env: ownEnvironment() });
    return "message" in answer ? answer.message : undefined;
  }

  async move(job: string, to: "first" | "last"): Promise<void> {
    await moveJob(this.#project, job, { to });
  }

  async pauseQueue(): Promise<void> {
    await pauseQueue(this.#project, undefined);
  }

  async resumeQueue(): Promise<void> {
    await resumeQueue(this.#project, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
  }
}

function isPaused({ root }: Project): boolean {
  using state = lookIntoFleetState();
  return state ? pausesIn(state).some(({ project, agent }) => project === root && agent === null) : false;
}
