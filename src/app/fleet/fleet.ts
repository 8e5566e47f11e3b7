import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Connector, OnRecord } from "../../connectors/connector.ts";
import { admission, type Full, keyOf, type Waiting } from "../../fleet/admission.ts";
import type { Reach } from "../../jobs/notices/notices.ts";
import { liveness, type Owner, thisProcess } from "../../processes/owner.ts";
import {
  askedOf,
  type FleetRecord,
  recordSlots,
  registerFleet,
  removeFleet,
} from "../../store/fleet/fleets.ts";
import { lastServed, slotsIn } from "../../store/fleet/slots.ts";
import { getJob } from "../../store/jobs.ts";
import { leaveQueue, type QueueEntry, queueAgain, queueEntries } from "../../store/queue.ts";
import { type FleetState, openFleetState } from "../../store/sqlite/fleet-state.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { messageOf } from "../../util/errors.ts";
import { localMinute } from "../../util/time.ts";
import { auditFires } from "../access/audit.ts";
import { type Bot, tokenVariables } from "../conversations/bots.ts";
import { connectTo } from "../conversations/connect.ts";
import { Talks } from "../conversations/talks.ts";
import { expireAsks } from "../inbox/expire.ts";
import type { Project } from "../project.ts";
import { WatchedError, watchSessions } from "../sessions/watch.ts";
import { UsageError } from "../usage-error.ts";
import { FleetWork } from "../work/fleet-work.ts";
import { limitedAgents } from "./accounts.ts";
import { barsOf } from "./bars.ts";
import type { FleetNews, Tell } from "./news.ts";
import { FleetNotices } from "./notices.ts";
import { closeProjects, type FleetProject, openProjects } from "./projects.ts";
import { Reload } from "./reload.ts";
import { CUT_OFF, FleetRuns, isOutOfBudget, OUT_OF_BUDGET } from "./runs.ts";
import { fireDue } from "./schedules.ts";
import { limitsOf, takenBy, waitingAmong } from "./situation.ts";
import { DRAINING } from "./view.ts";

export interface FleetOptions {
  projects: readonly Project[];
  /** What the environment of agents is made from. Default: this process's own. */
  env?: Record<string, string>;
  reach: Reach;
  /** Makes the connection of a bot. Default: to its service. */
  connect?: (bot: Bot, onRecord: () => Promise<OnRecord>) => Promise<Connector>;
  /** Where a terminal stands for chat services. */
  terminal?: () => Connector;
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
      `The fleet of ${project} runs already: process ${pid} on ${host}, since ${localMinute(new Date(since))}.\nSee it with \`baton status\`, end it with \`baton stop\`.`,
    );
  }
}

const LOOK_MS = 250;
const WATCH_MS = 5_000;
const SWEEP_MS = 5_000;

/** Runs the queues of one project or several, many jobs in this process, until it is told to end. */
export async function runFleet(options: FleetOptions): Promise<void> {
  using state = openFleetState();
  const projects = await openProjects(options.projects, options.env);
  try {
    const registered = registerFleet(
      state,
      thisProcess(),
      projects.map(({ project }) => project.root),
      new Date(),
    );
    if ("other" in registered) throw new FleetRunsError(registered.project, registered.other);
    options.begun();
    const tell: Tell = (news) => options.tell({ at: new Date(), ...news });
    const fleet = new Fleet(state, registered.id, projects, { ...options, tell });
    await using _watch = watchBeside(tell);
    try {
      await fleet.run();
    } finally {
      removeFleet(state, registered.id);
    }
  } finally {
    await closeProjects(projects);
  }
}

/** People's own sessions, and what old jobs left, unless another process watches them already. */
function watchBeside(tell: Tell): AsyncDisposable {
  const ending = new AbortController();
  const watching = watchSessions({
    once: false,
    everyMs: WATCH_MS,
    signal: ending.signal,
    begun: () => {},
    tell: ({ session, project }, text) => tell({ project, what: "watch", session, text }),
  }).catch((error: unknown) => {
    if (error instanceof WatchedError) return;
    tell({ project: "", what: "problem", why: `Your own sessions are not watched: ${messageOf(error)}` });
  });
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await watching;
    },
  };
}

/** Looks at the queues of its projects again and again, and gives each job its slot. */
class Fleet {
  readonly #state: FleetState;
  readonly #id: number;
  readonly #projects: FleetProject[];
  readonly #tell: Tell;
  readonly #inherited: Record<string, string>;
  readonly #talks: Talks;
  readonly #runs: FleetRuns;
  readonly #reload: Reload;
  readonly #notices: FleetNotices;
  readonly #work: FleetWork;
  /** Of each project, as it was last looked at. */
  readonly #entries = new Map<string, QueueEntry[]>();
  /** The last trouble with each project that was told. */
  readonly #problems = new Map<string, string>();
  #wake = () => {};
  #isEnding = false;
  #isDraining = false;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    state: FleetState,
    id: number,
    projects: FleetProject[],
    {
      env = ownEnvironment(),
      reach,
      connect,
      terminal,
      signal,
      tell,
    }: Omit<FleetOptions, "tell"> & { tell: Tell },
  ) {
    this.#state = state;
    this.#id = id;
    this.#projects = projects;
    this.#tell = tell;
    this.#inherited = env;
    this.#talks = new Talks({
      ...{ state, projects, env, tell, wake: () => this.#wake() },
      connect:
        connect ??
        ((bot, onRecord) =>
          bot.kind === "terminal" && terminal
            ? Promise.resolve(terminal())
            : connectTo(bot, {
                env,
                onRecord,
                tell: (text) => tell({ project: bot.speakers[0]?.project ?? "", what: "chat", text }),
              })),
    });
    this.#notices = new FleetNotices({ reach, env, tell });
    this.#reload = new Reload({ state, fleet: id, tell });
    const changed = () => this.#wake();
    this.#work = new FleetWork(projects, { env, tell, changed });
    const itemOf = this.#work.itemOf.bind(this.#work);
    this.#runs = new FleetRuns({
      ...{ state, fleet: id, reach, tell, changed, itemOf, talks: this.#talks },
      env: () => this.#env,
    });
    signal.addEventListener("abort", () => this.#end());
    if (signal.aborted) this.#end();
  }

  /** Of agents: who can read the token of a bot can speak for it. */
  get #env(): Record<string, string> {
    const tokens = this.#projects.flatMap(({ config }) => tokenVariables(config.agents));
    if (tokens.length === 0) return this.#inherited;
    return Object.fromEntries(Object.entries(this.#inherited).filter(([name]) => !tokens.includes(name)));
  }

  async run(): Promise<void> {
    for (;;) {
      this.#heed();
      if (this.#isEnding) break;
      await this.#look();
      if (this.#isDraining && this.#runs.size === 0) break;
      await this.#pause();
    }
    await this.#runs.end();
    await this.#work.end();
    await this.#talks.end();
    await this.#notices.end();
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
    const sweeps = performance.now() - this.#sweptAt >= SWEEP_MS;
    if (sweeps) this.#sweptAt = performance.now();
    await this.#reload.look(this.#projects);
    if (sweeps) this.#notices.due(this.#projects);
    const waiting: Waiting[] = [];
    for (const each of this.#projects) {
      const found = await this.#withTrouble(each, () => this.#lookInto(each, now, sweeps));
      waiting.push(...(found ?? []));
    }
    const [first] = this.#projects;
    this.#work.look(now);
    if (!first) return;
    const full = await this.#withTrouble(first, () => this.#startNext(waiting, now));
    // Nobody waits for people where nothing new begins.
    await this.#withTrouble(first, () => this.#talks.look({ full: this.#isDraining ? "all" : (full ?? []) }));
  }

  /** What is wrong with one project, such as a store that is held, keeps no other from its turn. */
  async #withTrouble<T>({ project }: FleetProject, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const why = messageOf(error);
      if (this.#problems.get(project.root) !== why) {
        this.#problems.set(project.root, why);
        this.#tell({ project: project.root, what: "problem", why });
      }
      return undefined;
    }
  }

  async #lookInto(each: FleetProject, now: Date, sweeps: boolean): Promise<Waiting[]> {
    const { project, store } = each;
    if (sweeps) {
      await sweepInterrupted(store, now, (job, owner) => this.#hasLost(each, job, owner));
      await expireAsks(project, store, now);
    }
    await this.#fire(each, now);
    const entries = await queueEntries(store);
    this.#entries.set(project.root, entries);
    for (const entry of entries) await this.#settle(each, entry, now);
    return waitingAmong(project.root, store, entries, now);
  }

  /** What has come due goes into the queue, unless nothing more is to start. */
  async #fire(each: FleetProject, now: Date): Promise<void> {
    if (this.#isDraining) return;
    const fires = await fireDue(each, now);
    auditFires(each.project.root, fires);
    for (const fired of fires) {
      this.#tell({ project: each.project.root, what: "fired", ...fired });
      this.#notices.missed(each, fired, now);
    }
  }

  /** Starts all that may. Returns why each of the others waits. */
  async #startNext(waiting: readonly Waiting[], now: Date): Promise<Full[]> {
    const context = { state: this.#state, projects: this.#projects, env: this.#env, now };
    const bar = await barsOf(context);
    const { limitOf } = await limitedAgents(context);
    const isDraining = this.#isDraining;
    const limits = limitsOf(this.#projects);
    recordSlots(this.#state, this.#id, limits.total);
    const barred = (next: Waiting) => (isDraining ? DRAINING : bar(next));
    const situation = {
      waiting: waiting.filter((each) => !this.#runs.has(each)),
      taken: takenBy(slotsIn(this.#state), this.#entries),
      limits,
      lastServed: lastServed(this.#state),
      barred,
    };
    this.#work.take(situation, now);
    const { start, waits } = admission(situation);
    for (const next of start) {
      if (!this.#runs.isReady) break;
      const where = this.#projects.find(({ project }) => project.root === next.project);
      const limit = limitOf(next.project, next.agent);
      if (where) this.#runs.start(where, next, limits.total, limit);
    }
    return situation.waiting.flatMap((each) => {
      const code = waits.get(keyOf(each))?.reason.code;
      return code === undefined ? [] : [{ project: each.project, agent: each.agent, code }];
    });
  }

  /** Jobs whose process died, and those of this one that it could not bring to an end. */
  #hasLost({ project }: FleetProject, job: string, owner: Owner): boolean {
    const isOwn = owner.pid === process.pid && liveness(owner) === "alive";
    return isOwn ? !this.#runs.has({ project: project.root, job }) : liveness(owner) === "dead";
  }

  /** A job in the queue that neither waits nor runs: it was cut off, or is over. */
  async #settle({ project, store }: FleetProject, entry: QueueEntry, now: Date): Promise<void> {
    const { job, status, isOwned } = entry;
    if (status === "queued" || isOwned || this.#runs.has({ project: project.root, job })) return;
    if (status === "interrupted") await queueAgain(store, job, { message: CUT_OFF }, now);
    else if (status === "paused" && isOutOfBudget(await getJob(store, job)))
      await queueAgain(store, job, { message: OUT_OF_BUDGET }, now);
    else if (["completed", "failed", "paused", "cancelled"].includes(status)) await leaveQueue(store, job);
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
