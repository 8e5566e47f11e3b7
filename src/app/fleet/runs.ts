import { setTimeout as sleep } from "node:timers/promises";
import { halted } from "../../files/halt.ts";
import { keyOf, type Waiting } from "../../fleet/admission.ts";
import { type Job, statusBeforeQueue } from "../../job/job.ts";
import { endAtAnswer } from "../../jobs/account-limits.ts";
import type { Reach } from "../../jobs/notices/notices.ts";
import { Control } from "../../jobs/run/control.ts";
import { thisProcess } from "../../processes/owner.ts";
import { JobOwnedError } from "../../store/claims.ts";
import { FencedError, latestEvents } from "../../store/events.ts";
import { type AccountLimit, endTurn, takeTurn } from "../../store/fleet/accounts.ts";
import { giveSlotBack, type Slot, takeSlot } from "../../store/fleet/slots.ts";
import { getJob } from "../../store/jobs.ts";
import { holdInQueue, leaveQueue, queueAgain } from "../../store/queue.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import type { Talks } from "../conversations/talks.ts";
import { resumable } from "../jobs/resumable.ts";
import { driveJob, type JobRun } from "../jobs/run.ts";
import { pauseQueued } from "../jobs/steer/pause.ts";
import type { Tell } from "./news.ts";
import type { FleetProject } from "./projects.ts";

/** How many agents are started at the same time. */
const MOST_STARTING = 6;
/** After which a job that could not be started is tried again. */
const HOLD_MS = 5_000;
const GIVE_BACK_MS = 1_000;

export const CUT_OFF = "it was cut off, and continues when it has a slot again";
export const OUT_OF_BUDGET = "it continues by itself when its budget starts over, or is raised";
const STOPPED = "the fleet was stopped, and the next one continues it";

/** How often in a row a job may take the process that runs it along. */
const MOST_DEATHS = 5;

const DEADLY = {
  code: "owner_dies",
  message: `The process that ran the job died ${MOST_DEATHS} times in a row, each time before a tool call of the job had ended. Look at what it last did, then resume it.`,
} as const;

/** Whoever runs it dies, again and again, and with it everything else that it runs. */
async function isDeadly(store: Store, job: Job): Promise<boolean> {
  if (statusBeforeQueue(job) !== "interrupted") return false;
  const last = await latestEvents(store, job.id, ["job:interrupted", "job:paused", "tool:end"], MOST_DEATHS);
  const deaths = last.filter((event) => event.type === "job:interrupted" && event.died);
  return deaths.length === MOST_DEATHS;
}

/** A budget has paused it. It waits in the queue, which says until when. */
export function isOutOfBudget({ status, pauseCode }: Pick<Job, "status" | "pauseCode">): boolean {
  return status === "paused" && pauseCode === "budget";
}

interface RunsOptions {
  state: FleetState;
  /** Of the fleet that has their slots. */
  fleet: number;
  env: () => Record<string, string>;
  reach: Reach;
  tell: Tell;
  /** People who take part in jobs from chats. */
  talks?: Talks;
  /** Called when another may start: one has ended, or its agent is up. */
  changed: () => void;
  /** What a job works on, where that is an item of a tracker. Throws an ItemLost where another has it. */
  itemOf: (job: Job, project: string) => ReturnType<NonNullable<JobRun["itemOf"]>>;
}

interface Run {
  job: string;
  control: Control;
  over: Promise<void>;
}

/** The jobs that a fleet runs in this process, each in a slot of its own. */
export class FleetRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();
  /** Those whose agent is not up yet. */
  readonly #starting = new Set<string>();
  /** Of each job the last reason that was told. */
  readonly #told = new Map<string, string>();
  #isEnding = false;

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Whether one more may start now. Programs that start all at once keep one another, and this process, waiting. */
  get isReady(): boolean {
    return this.#starting.size < MOST_STARTING;
  }

  has(job: { project: string; job: string }): boolean {
    return this.#runs.has(keyOf(job));
  }

  /** Runs a job, unless by now others have all slots. `limit`: that of its account, after whose reset one at a time is tried. */
  start(project: FleetProject, next: Waiting, slots: number, limit: AccountLimit | undefined): void {
    const { state, fleet, changed } = this.#options;
    const slot = { project: next.project, job: next.job, agent: next.agent, fleet };
    if (!takeSlot(state, { ...slot, since: new Date().toISOString() }, slots)) return;
    const account = limit?.account;
    try {
      if (account !== undefined && !this.#hasTurn(next.job, account)) {
        giveSlotBack(state, slot);
        return;
      }
    } catch (error) {
      void this.#giveBack(slot, undefined);
      throw error;
    }
    this.#starting.add(keyOf(next));
    const control = new Control();
    const over = this.#run(project, next.job, control, account).then(() => {
      void this.#giveBack(slot, account);
      this.#runs.delete(keyOf(next));
      this.#starting.delete(keyOf(next));
      changed();
    });
    this.#runs.set(keyOf(next), { job: next.job, control, over });
  }

  /** A disk that is full for a while costs a slot for a while, and not the fleet. */
  async #giveBack(slot: Pick<Slot, "project" | "job">, account: string | undefined): Promise<void> {
    const { state, tell, changed } = this.#options;
    for (let isTold = false; ; isTold = true) {
      try {
        if (account !== undefined) endTurn(state, account, slot.job, null);
        giveSlotBack(state, slot);
        if (isTold) changed();
        return;
      } catch (error) {
        // With the fleet go its slots.
        if (this.#isEnding) return;
        const why = `The slot of ${slot.job} cannot be given back yet: ${messageOf(error)}`;
        if (!isTold) tell({ project: slot.project, what: "problem", why });
        await sleep(GIVE_BACK_MS, undefined, { ref: false });
      }
    }
  }

  #hasTurn(job: string, account: string): boolean {
    return takeTurn(this.#options.state, account, { job, owner: thisProcess() }, new Date()) !== "wait";
  }

  /** Interrupts all of them, and waits for their end. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const { control, job } of this.#runs.values()) {
      // Nothing of it would have to continue.
      if (!this.#options.talks?.rest(job)) control.interrupt(STOPPED);
    }
    while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ over }) => over));
  }

  /** Never rejects: what goes wrong with one job is that job's trouble. */
  async #run(where: FleetProject, id: string, control: Control, account?: string): Promise<void> {
    const { project, store } = where;
    try {
      const ended = await this.#drive(where, id, control, account);
      if (ended.status === "interrupted" || isOutOfBudget(ended)) {
        await this.#queueAgain(where, ended);
        return;
      }
      await leaveQueue(store, id);
      if (ended.pauseCode === "awaiting") return;
      this.#options.tell({ project: project.root, what: "ended", job: ended });
    } catch (error) {
      // Somebody else has it by now.
      if (error instanceof JobOwnedError || error instanceof FencedError) return;
      await this.#hold(where, id, messageOf(error));
    }
  }

  async #drive(where: FleetProject, id: string, control: Control, account: string | undefined): Promise<Job> {
    const { project, config: standing, store } = where;
    const { reach, tell, talks, itemOf } = this.#options;
    const env = this.#options.env();
    const job = await getJob(store, id);
    if (job.pauseRequested) return pauseQueued(store, id);
    if (await isDeadly(store, job)) return pauseQueued(store, id, DEADLY);
    const { config, agent, resumed } = await resumable(job, project, {}, { env, standing });
    const isNew = statusBeforeQueue(job) === "created";
    const attending = await talks?.attend(where, id);
    const driven = driveJob({
      store,
      config: agent,
      maintenance: config.maintenance,
      job: id,
      ...(!isNew && { resumed }),
      env,
      control,
      signal: control.ending,
      reach,
      fleet: true,
      itemOf: (job) => itemOf(job, project.root),
      ...(attending && { conversation: attending.conversation }),
      claimed: (journal) => {
        attending?.begin(journal, control);
        const key = keyOf({ project: project.root, job: id });
        this.#told.delete(key);
        if (account !== undefined) endAtAnswer(journal, account, () => new Date());
        journal.subscribe((event) => {
          if (event.type === "limit:waiting") {
            tell({ project: project.root, what: "waits", job: journal.job, why: event.message });
          }
          if (event.type !== "session:started" || !this.#starting.delete(key)) return;
          this.#options.changed();
        });
        tell({ project: project.root, what: "started", job: journal.job });
      },
    });
    return attending && talks ? driven.finally(() => talks.leave(where, attending)) : driven;
  }

  /** What interrupted it may do so again at once, unless that was the end of the fleet, of all work or of a budget. */
  async #queueAgain(where: FleetProject, job: Job): Promise<void> {
    const { id, error } = job;
    const message = isOutOfBudget(job) ? OUT_OF_BUDGET : this.#isEnding ? STOPPED : CUT_OFF;
    const queued = await queueAgain(where.store, id, { message }, new Date());
    if (queued) this.#options.tell({ project: where.project.root, what: "queued-again", job: queued });
    const isHeldAnyway = this.#isEnding || isOutOfBudget(job) || halted();
    if (!isHeldAnyway) await this.#hold(where, id, error ?? CUT_OFF);
  }

  /** It stays in the queue, with the reason, and is tried again. */
  async #hold({ project, store }: FleetProject, id: string, why: string): Promise<void> {
    const until = new Date(Date.now() + HOLD_MS);
    await holdInQueue(store, id, { why, until }).catch(() => {});
    const key = keyOf({ project: project.root, job: id });
    if (this.#told.get(key) === why) return;
    this.#told.set(key, why);
    this.#options.tell({ project: project.root, what: "held", job: id, why });
  }
}
