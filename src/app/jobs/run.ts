import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import type { AgentConfig, MaintenanceConfig } from "../../config/config.ts";
import { usedUpInWords } from "../../job/budgets.ts";
import type { Job } from "../../job/job.ts";
import { withoutAppKeys } from "../../jobs/app-keys.ts";
import { usedUpIn } from "../../jobs/budgets.ts";
import { Journal } from "../../jobs/journal.ts";
import { notifyPeople, type Reach } from "../../jobs/notices/notices.ts";
import { ItemLost } from "../../jobs/reasons.ts";
import type { Control } from "../../jobs/run/control.ts";
import type { Conversation } from "../../jobs/run/conversation.ts";
import { runJob } from "../../jobs/run/relay.ts";
import { FIRST_ATTEMPT, jobEnvironment } from "../../jobs/run/spec.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { leaveQueue } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { crewOf } from "../crew.ts";
import { UsageError } from "../usage-error.ts";
import type { HeldItem } from "../work/held.ts";
import { keepHouse } from "./housekeeping.ts";
import { followedBy } from "./orchestrator.ts";
import { refuseHalted } from "./ready.ts";
import { type Resumption, refuseOver } from "./resumable.ts";
import type { Ahead } from "./start-ahead.ts";

export interface JobRun {
  store: Store;
  config: AgentConfig;
  maintenance: MaintenanceConfig;
  job: string;
  /** Said in the journal first when a job is resumed. */
  resumed?: Resumption;
  /** What the agent's environment is made from, where it is not this process's own. */
  env?: Record<string, string>;
  /** The agent's program, started ahead for this job. */
  ahead?: Ahead;
  /** A person who takes part. */
  conversation?: Conversation;
  control: Control;
  /** Aborted with a JobCancelled or a JobInterrupted to end the job. */
  signal: AbortSignal;
  /** How people at this machine are told of what they asked to hear of. */
  reach: Reach;
  /** The fleet runs it. Whoever else does takes it out of its queue. */
  fleet?: true;
  /** What it works on, where that is an item of a tracker. Default: this process claims that itself. */
  itemOf?: ItemOf;
  /** Called once the job is this process's own, before anything happens in it. */
  claimed(journal: Journal): void | Promise<void>;
}

/** Throws an ItemLost where another has the item. */
type ItemOf = (job: Job) => Promise<HeldItem | undefined>;

/** Runs a job in this process until it ends, with all that belongs to it: notices, housekeeping, requests of others. */
export async function driveJob(run: JobRun): Promise<Job> {
  const { store, config, maintenance, job: id, resumed, conversation, control, signal } = run;
  const base = withoutAppKeys(run.env ?? ownEnvironment(), config);
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  // Whoever had the job before may have finished it since it was last looked at.
  refuseOver(journal.job);
  // Whoever halts all work asks each job that somebody has. Of this one they may not have known.
  refuseHalted();
  if (!run.fleet) await leaveQueue(store, id);
  await using _house = keepHouse(store, journal, config, maintenance, signal);
  // What was started ahead is of a first attempt: a later one ends it, as all that earlier ones left.
  const ahead = claim.attempt === FIRST_ATTEMPT ? run.ahead : undefined;
  const env = ahead?.env ?? jobEnvironment(base, config, { job: id, attempt: claim.attempt });
  await using _people = notifyPeople(journal, config, run.reach, env);
  await using _orchestrator = await followedBy(journal);
  try {
    await run.claimed(journal);
    // First: what the fleet does not start stays in the queue, as what it is.
    const usedUp = await usedUpIn(store, config.budgets, new Date());
    if (usedUp) return await notStarted(journal, usedUpInWords(usedUp), run.fleet);
    if (resumed !== undefined) await journal.record({ type: "job:resumed", ...resumed });
    const item = await itemOf(run, journal.job);
    const more = {
      ...(item && { item }),
      cleanup: maintenance.worktreeCleanup,
      ...(ahead && { prestarted: ahead.prestarted }),
      ...(conversation && { conversation }),
    };
    const agent = await agentFor(config);
    const crew = await crewOf(config, { journal, base });
    const ending = item ? AbortSignal.any([signal, item.lost]) : signal;
    return await runJob({ journal, config, agent, env, signal: ending, control, ...crew, ...more });
  } catch (error) {
    if (!(error instanceof ItemLost)) throw error;
    await journal.record({ type: "job:paused", code: "item_lost", message: error.message });
    return journal.job;
  } finally {
    await journal.flush().catch(() => {});
  }
}

async function itemOf(run: JobRun, job: Job): Promise<HeldItem | undefined> {
  if (job.workItem?.source === undefined) return undefined;
  if (run.itemOf) return run.itemOf(job);
  const { holdAlone } = await import("../work/alone.ts");
  return holdAlone(run.store, run.config, job, run.signal);
}

/** In the fleet it keeps its place in the queue. Anywhere else somebody resumes it. */
async function notStarted(journal: Journal, why: string, isFleet?: true): Promise<Job> {
  if (isFleet) throw new UsageError(why);
  await journal.record({ type: "job:paused", code: "budget", message: why });
  return journal.job;
}
