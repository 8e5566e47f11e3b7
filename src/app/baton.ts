import { ownEnvironment } from "../agents/own-environment.ts";
import type { Chosen } from "../config/chosen.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import type { JournalEvent } from "../job/events.ts";
import { type JobView, jobView } from "../job/view.ts";
import { newJobId } from "../jobs/new-id.ts";
import { newJob } from "../jobs/new-job.ts";
import type { Reach } from "../jobs/notices/notices.ts";
import { JobInterrupted } from "../jobs/reasons.ts";
import { listJobs } from "../store/job-list.ts";
import { findJob } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { WorkItem } from "../workspace/workspace.ts";
import { cancelById } from "./jobs/cancel.ts";
import { eventsOf } from "./jobs/follow.ts";
import { type HandoffAnswer, handOffById } from "./jobs/hand-off.ts";
import { type Maintained, maintainJobs } from "./jobs/maintain.ts";
import { type MessageView, type Moment, messagesFor, sendTo, takeBack } from "./jobs/messages.ts";
import { readyAgent } from "./jobs/ready.ts";
import { resumable } from "./jobs/resumable.ts";
import { driveJob, type JobRun } from "./jobs/run.ts";
import { RunningJob } from "./jobs/running-job.ts";
import { canStartAhead, startAhead } from "./jobs/start-ahead.ts";
import { configOf, findProject, openSwept, type Project } from "./project.ts";

export interface BatonOptions {
  /** The project is the one that holds this folder: the nearest `baton.yaml` or `.baton/` upwards. Default: this process's. */
  folder?: string;
  /** Path of a configuration file, in place of looking for one. */
  config?: string;
  /** What the environment of agents is made from. Default: this process's, without what an agent's session put there. */
  env?: Record<string, string>;
  /** How to reach a person at this machine, for those who asked for it in `notify`. Default: not at all. */
  reach?: Reach;
}

export interface RunOptions {
  /** By its name in the configuration. Needed where there are several. */
  agent?: string;
  workItem?: WorkItem;
  epic?: string;
  schedule?: string;
  /** Over what the configuration says, for this job alone. A resume keeps it. */
  chosen?: Chosen;
}

type Start = Pick<JobRun, "job" | "config" | "maintenance" | "resumed">;

const NOBODY: Reach = { bell: () => {}, desktop: async () => {} };
const NEWEST = 20;

/** Opens the project of a folder. What it runs ends with it at the latest, and can be resumed. */
export async function openBaton(options: BatonOptions = {}): Promise<Baton> {
  const project = findProject(options, options.folder);
  const config = await configOf(project);
  return new Baton(project, config, await openSwept(project), options);
}

/** A project, and the jobs that this process runs in it. Other processes see them, and ask things of them. */
export class Baton implements AsyncDisposable {
  readonly #project: Project;
  readonly #config: Config;
  readonly #store: Store;
  readonly #env: Record<string, string>;
  readonly #reach: Reach;
  readonly #given: BatonOptions;
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(project: Project, config: Config, store: Store, given: BatonOptions) {
    const { env, reach } = given;
    this.#given = given;
    this.#project = project;
    this.#config = config;
    this.#store = store;
    this.#env = env ?? ownEnvironment();
    this.#reach = reach ?? NOBODY;
  }

  /** The folder that holds `baton.yaml` and `.baton/`. */
  get root(): string {
    return this.#project.root;
  }

  /** Starts a job. Refused before anything is started where the agent is not ready or its commands are not trusted. */
  async run(prompt: string, { agent: name, chosen, ...origin }: RunOptions = {}): Promise<RunningJob> {
    const config = chosen ? await configOf(this.#project, { chosen }) : this.#config;
    const agent = await readyAgent(config, name, this.#env);
    const id = newJobId();
    await newJob(this.#store, { ...config, ...origin }, agent, prompt, id);
    return this.#start({ job: id, config: agent, maintenance: config.maintenance }, true);
  }

  /** Continues a job that is not completed, by its id or the beginning of it. `chosen`: over what was chosen for it before. */
  async resume(named: string, { chosen }: { chosen?: Chosen } = {}): Promise<RunningJob> {
    const job = await findJob(this.#store, named);
    const choice = { ...this.#given, ...(chosen && { chosen }) };
    const { config, agent, resumed } = await resumable(job, this.#project, choice, { env: this.#env });
    return this.#start({ job: job.id, config: agent, maintenance: config.maintenance, resumed }, false);
  }

  /** The newest first, whichever process runs them. */
  async jobs(limit = NEWEST): Promise<JobView[]> {
    return (await listJobs(this.#store, limit)).map((job) => jobView(job));
  }

  async job(named: string): Promise<JobView> {
    return jobView(await findJob(this.#store, named));
  }

  /** What happened in a job and what happens, until it is no longer at work, whichever process runs it. */
  async *events(named: string, after = 0): AsyncGenerator<JournalEvent> {
    yield* eventsOf(this.#store, named, { follow: true, after });
  }

  /** Asks the process that runs a job for a handoff, and waits for what comes of it. Where none does, it is made from facts. */
  handOff(named: string, focus?: string): Promise<HandoffAnswer> {
    const { config } = this.#given;
    return handOffById(this.#store, this.#project, named, {
      ...(focus !== undefined && { focus }),
      ...(config !== undefined && { config }),
      env: this.#env,
    });
  }

  /** Sends the agent of a job something, whichever process runs it. One that rests hears it when it is resumed. */
  async send(named: string, text: string, { at = "boundary" }: { at?: Moment } = {}): Promise<MessageView> {
    return sendTo(this.#store, await findJob(this.#store, named), text, at);
  }

  /** What the agent of a job, or of any, was sent and has not heard yet. */
  messages(named?: string): Promise<MessageView[]> {
    return messagesFor(this.#store, named);
  }

  /** Takes a message back that no agent has heard yet. */
  takeBack(message: number): Promise<MessageView> {
    return takeBack(this.#store, message);
  }

  /** Ends a job, whichever process runs it. It can be resumed. */
  async cancel(named: string): Promise<JobView> {
    return jobView(await cancelById(this.#store, named));
  }

  /** Removes what ended jobs left. Undefined where another process is at it. */
  async maintain({ dryRun = false } = {}): Promise<Maintained | undefined> {
    const { signal } = this.#closing;
    return maintainJobs(this.#store, this.#config, { dryRun, signal });
  }

  /** Interrupts what it still runs, and waits for its end. */
  async close(): Promise<void> {
    this.#closing.abort(new JobInterrupted("The program that ran it closed Baton."));
    await Promise.allSettled(this.#running);
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(what: Start, isNew: boolean): Promise<RunningJob> {
    this.#closing.signal.throwIfAborted();
    const running = new RunningJob(this.#store, what.job);
    const { config } = what;
    const ended = this.#driven(running, what, isNew && canStartAhead(config) ? config : undefined);
    const over = ended.catch(() => {}).finally(() => this.#running.delete(over));
    this.#running.add(over);
    return running.begun(ended);
  }

  async #driven(running: RunningJob, what: Start, ahead: AgentConfig | undefined) {
    await using started = ahead && (await startAhead(ahead, what.job, { base: this.#env }));
    return await driveJob({
      ...what,
      store: this.#store,
      env: this.#env,
      reach: this.#reach,
      control: running.control,
      signal: AbortSignal.any([running.control.ending, this.#closing.signal]),
      claimed: (journal) => running.claimed(journal),
      ...(started && { ahead: started }),
    });
  }
}
