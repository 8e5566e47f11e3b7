import { ownEnvironment } from "../../agents/own-environment.ts";
import { type Admission, admission, keyOf, type Waiting } from "../../fleet/admission.ts";
import { type Job, statusBeforeQueue } from "../../job/job.ts";
import type { Reach } from "../../jobs/notices.ts";
import { Control } from "../../jobs/run/control.ts";
import { liveness, type Owner, thisProcess } from "../../processes/owner.ts";
import { JobOwnedError } from "../../store/claims.ts";
import { FencedError } from "../../store/events.ts";
import { askedOf, type FleetRecord, registerFleet, removeFleet } from "../../store/fleet/fleets.ts";
import { giveSlotBack, lastServed, slotsIn, takeSlot } from "../../store/fleet/slots.ts";
import { getJob } from "../../store/jobs.ts";
import { holdInQueue, leaveQueue, type QueueEntry, queueAgain, queueEntries } from "../../store/queue.ts";
import { type FleetState, openFleetState } from "../../store/sqlite/fleet-state.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { messageOf } from "../../util/errors.ts";
import { resumable } from "../jobs/resumable.ts";
import { driveJob } from "../jobs/run.ts";
import { configOf, openSwept, type Project } from "../project.ts";
import { WatchedError, watchSessions } from "../sessions/watch.ts";
import { passGate } from "../trust/gate.ts";
import { UsageError } from "../usage-error.ts";
import { type FleetProject, limitsOf, waitingAmong } from "./situation.ts";

/** What a person who watches a fleet is told. */
export type FleetNews = { at: Date; project: string } & (
  | { what: "started" | "ended" | "queued-again"; job: Job }
  | { what: "held"; job: string; why: string }
  | { what: "problem"; why: string }
  /** Of a person's own session, or of a project where that is null. */
  | { what: "watch"; session: string | null; text: string }
);

/** Without the moment: whoever tells it knows that. */
type Tidings = FleetNews extends infer News ? (News extends unknown ? Omit<News, "at"> : never) : never;

export interface FleetOptions {
  projects: readonly Project[];
  /** What the environment of agents is made from. Default: this process's own. */
  env?: Record<string, string>;
  reach: Reach;
  /** Aborted to end it: what runs is interrupted, and continues with the next fleet. */
  signal: AbortSignal;
  /** Once it is the fleet of its projects. */
  begun: () => void;
  tell: (news: FleetNews) => void;
}

/** Another process runs the jobs of this project. */
class FleetRunsError extends UsageError {
  constructor(project: string, { owner }: FleetRecord) {
    const { pid, host, since } = owner;
    super(
      `The fleet of ${project} runs already: process ${pid} on ${host}, since ${since}.\nSee it with \`baton status\`, end it with \`baton stop\`.`,
    );
  }
}

const LOOK_MS = 250;
const WATCH_MS = 5_000;
const SWEEP_MS = 5_000;
/** After which a job that could not be started is tried again. */
const HOLD_MS = 15_000;

interface Running {
  project: FleetProject;
  job: string;
  control: Control;
  over: Promise<void>;
}

/** Runs the queues of one project or several, many jobs in this process, until it is told to end. */
export async function runFleet(options: FleetOptions): Promise<void> {
  using state = openFleetState();
  const projects = await opened(options.projects);
  try {
    const registered = registerFleet(
      state,
      thisProcess(),
      projects.map(({ project }) => project.root),
      new Date(),
    );
    if ("other" in registered) throw new FleetRunsError(registered.project, registered.other);
    options.begun();
    const fleet = new Fleet(state, registered.id, projects, options);
    await using _watch = watchBeside(options);
    try {
      await fleet.run();
    } finally {
      removeFleet(state, registered.id);
    }
  } finally {
    await Promise.all(projects.map(({ store }) => store.close()));
  }
}

/** Nothing starts where there is something that nobody agreed to: each job passes the gate again. */
async function opened(wanted: readonly Project[]): Promise<FleetProject[]> {
  const projects: FleetProject[] = [];
  try {
    for (const project of wanted) {
      const config = await configOf(project);
      for (const agent of config.agents) passGate(config, agent);
      projects.push({ project, config, store: await openSwept(project) });
    }
    return projects;
  } catch (error) {
    await Promise.all(projects.map(({ store }) => store.close()));
    throw error;
  }
}

/** People's own sessions, and what old jobs left, unless another process looks after them already. */
function watchBeside({ tell }: FleetOptions): AsyncDisposable {
  const ending = new AbortController();
  const watching = watchSessions({
    once: false,
    everyMs: WATCH_MS,
    signal: ending.signal,
    begun: () => {},
    tell: ({ session, project }, what) =>
      tell({ at: new Date(), project, what: "watch", session, text: what }),
  }).catch((error: unknown) => {
    if (error instanceof WatchedError) return;
    tell({
      at: new Date(),
      project: "",
      what: "problem",
      why: `Your own sessions are not watched: ${messageOf(error)}`,
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await watching;
    },
  };
}

class Fleet {
  readonly #state: FleetState;
  readonly #id: number;
  readonly #projects: FleetProject[];
  readonly #options: FleetOptions;
  readonly #env: Record<string, string>;
  readonly #running = new Map<string, Running>();
  /** Of each job the last reason that was told. */
  readonly #told = new Map<string, string>();
  #wake = () => {};
  #isEnding = false;
  #isDraining = false;
  #sweptAt = 0;

  constructor(state: FleetState, id: number, projects: FleetProject[], options: FleetOptions) {
    this.#state = state;
    this.#id = id;
    this.#projects = projects;
    this.#options = options;
    this.#env = options.env ?? ownEnvironment();
    options.signal.addEventListener("abort", () => this.#end());
    if (options.signal.aborted) this.#end();
  }

  async run(): Promise<void> {
    for (;;) {
      this.#heed();
      if (this.#isEnding) break;
      try {
        await this.#look();
      } catch (error) {
        const [first] = this.#projects;
        this.#problem(first?.project.root ?? "", messageOf(error));
      }
      if (this.#isDraining && this.#running.size === 0) break;
      await this.#pause();
    }
    for (const { control } of this.#running.values()) control.interrupt(STOPPED);
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ over }) => over));
  }

  #end(): void {
    this.#isEnding = true;
    this.#wake();
  }

  /** What other processes ask of it. */
  #heed(): void {
    const asked = askedOf(this.#state, this.#id);
    if (asked === "stop") this.#isEnding = true;
    this.#isDraining ||= asked === "drain";
  }

  async #look(): Promise<void> {
    const now = new Date();
    const isDue = performance.now() - this.#sweptAt >= SWEEP_MS;
    const waiting: Waiting[] = [];
    for (const each of this.#projects) {
      if (isDue) await sweepInterrupted(each.store, now, (job, owner) => this.#hasLost(each, job, owner));
      const entries = await queueEntries(each.store);
      for (const entry of entries) await this.#settle(each, entry, now);
      waiting.push(...(await waitingAmong(each.project.root, each.store, entries, now)));
    }
    if (isDue) this.#sweptAt = performance.now();
    for (const next of this.#admitted(waiting).start) this.#start(next);
  }

  /** Jobs whose process died, and those of this one that it could not bring to an end. */
  #hasLost({ project }: FleetProject, job: string, owner: Owner): boolean {
    const isOwn = owner.pid === process.pid && liveness(owner) === "alive";
    return isOwn ? !this.#running.has(keyOf({ project: project.root, job })) : liveness(owner) === "dead";
  }

  /** Who is to start, of those that this process does not run yet. */
  #admitted(waiting: readonly Waiting[]): Admission {
    const isDraining = this.#isDraining;
    return admission({
      waiting: waiting.filter((each) => !this.#running.has(keyOf(each))),
      taken: slotsIn(this.#state),
      limits: limitsOf(this.#projects),
      lastServed: lastServed(this.#state),
      stopped: () => (isDraining ? { code: "draining", text: "the fleet is draining" } : undefined),
    });
  }

  /** A job in the queue that neither waits nor runs: it was cut off, or is over. */
  async #settle({ project, store }: FleetProject, entry: QueueEntry, now: Date): Promise<void> {
    const { job, status, isOwned } = entry;
    if (status === "queued" || isOwned || this.#running.has(keyOf({ project: project.root, job }))) return;
    if (status === "interrupted") await queueAgain(store, job, { message: CUT_OFF }, now);
    else if (["completed", "failed", "paused", "cancelled"].includes(status)) await leaveQueue(store, job);
  }

  #start(next: Waiting): void {
    const project = this.#projects.find((each) => each.project.root === next.project);
    if (!project) return;
    const slot = { project: next.project, job: next.job, agent: next.agent, fleet: this.#id };
    const since = new Date().toISOString();
    if (!takeSlot(this.#state, { ...slot, since }, limitsOf(this.#projects).total)) return;
    const control = new Control();
    const over = this.#run(project, next.job, control).finally(() => {
      giveSlotBack(this.#state, slot);
      this.#running.delete(keyOf(next));
      this.#wake();
    });
    this.#running.set(keyOf(next), { project, job: next.job, control, over });
  }

  /** Never rejects: what goes wrong with one job is that job's trouble. */
  async #run(where: FleetProject, id: string, control: Control): Promise<void> {
    const { project, store } = where;
    try {
      const ended = await this.#drive(where, id, control);
      if (ended.status === "interrupted") {
        const message = this.#isEnding ? STOPPED : CUT_OFF;
        const queued = await queueAgain(store, id, { message }, new Date());
        if (queued) this.#tell({ project: project.root, what: "queued-again", job: queued });
        if (!this.#isEnding) await this.#hold(where, id, ended.error ?? CUT_OFF);
      } else {
        await leaveQueue(store, id);
        this.#tell({ project: project.root, what: "ended", job: ended });
      }
    } catch (error) {
      // Somebody else has it by now.
      if (error instanceof JobOwnedError || error instanceof FencedError) return;
      await this.#hold(where, id, messageOf(error));
    }
  }

  async #drive({ project, store }: FleetProject, id: string, control: Control): Promise<Job> {
    const job = await getJob(store, id);
    const { config, agent, resumed } = await resumable(job, project, {}, this.#env);
    const isNew = statusBeforeQueue(job) === "created";
    return driveJob({
      store,
      config: agent,
      maintenance: config.maintenance,
      job: id,
      ...(!isNew && { resumed }),
      env: this.#env,
      control,
      signal: control.ending,
      reach: this.#options.reach,
      fleet: true,
      claimed: (journal) => {
        this.#told.delete(keyOf({ project: project.root, job: id }));
        this.#tell({ project: project.root, what: "started", job: journal.job });
      },
    });
  }

  /** It stays in the queue, with the reason, and is tried again. */
  async #hold({ project, store }: FleetProject, id: string, why: string): Promise<void> {
    const until = new Date(Date.now() + HOLD_MS);
    await holdInQueue(store, id, { why, until }).catch(() => {});
    const key = keyOf({ project: project.root, job: id });
    if (this.#told.get(key) === why) return;
    this.#told.set(key, why);
    this.#tell({ project: project.root, what: "held", job: id, why });
  }

  #problem(project: string, why: string): void {
    if (this.#told.get(project) === why) return;
    this.#told.set(project, why);
    this.#tell({ project, what: "problem", why });
  }

  #tell(news: Tidings): void {
    this.#options.tell({ at: new Date(), ...news });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isEnding) this.#wake();
    });
  }
}

const STOPPED = "the fleet was stopped, and the next one continues it";
const CUT_OFF = "it was cut off, and continues when it has a slot again";
