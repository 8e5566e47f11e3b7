import { ownEnvironment } from "../../agents/own-environment.ts";
import { boxesLeft, removeBoxes } from "../../box/leftovers.ts";
import type { Config } from "../../config/config.ts";
import { maintain } from "../../jobs/end/maintenance.ts";
import { removeScratch, scratchLeft } from "../../jobs/end/scratch-left.ts";
import { jobsThatLeave } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { configOf, hasStore, openStoreOfJobs, type Project } from "../project.ts";
import { straysOf, type WorktreeView, worktreeView } from "./worktrees.ts";

export interface Maintained {
  /** What jobs left, and what was done about it. Worktrees of jobs that nobody knows are only named. */
  worktrees: WorktreeView[];
  /** Of jobs that completed long ago, whose work the remote has. */
  checkpoints: { job: string; refs: string[] }[];
  expiredSessions: number;
  /** Jobs whose journals were compacted. */
  compacted: { job: string; events: number }[];
  /** Of processes that were killed, where the engine was slower than they. */
  containers: { id: string; engine: string; job: string }[];
  /** Temporary folders and files of processes that were killed. */
  temporary: string[];
}

interface How {
  dryRun: boolean;
  signal: AbortSignal;
}

/** Removes what ended jobs left, as far as that is safe. Undefined where another process is at it. */
export async function maintainProject(project: Project, how: How): Promise<Maintained | undefined> {
  const config = await configOf(project);
  if (!hasStore(project)) return withoutJobs(config, how);
  await using store = await openStoreOfJobs(project);
  return await maintainJobs(store, config, how);
}

async function withoutJobs(config: Config, { dryRun }: How): Promise<Maintained> {
  const { agents } = config;
  return {
    worktrees: await straysOf(config, []),
    checkpoints: [],
    expiredSessions: 0,
    compacted: [],
    containers: await containersLeft(dryRun),
    temporary: dryRun ? scratchLeft(agents) : removeScratch(agents),
  };
}

/** The same for a store that is open. */
export async function maintainJobs(
  store: Store,
  config: Pick<Config, "maintenance" | "agents">,
  { dryRun, signal }: How,
): Promise<Maintained | undefined> {
  const { maintenance, agents } = config;
  const folders = agents.map(({ workspace }) => workspace.worktreeDir);
  const found = await maintain(store, maintenance, { dryRun, signal, now: () => new Date(), folders });
  if (!found) return undefined;
  const strays = await straysOf(config, await jobsThatLeave(store));
  return {
    worktrees: [...found.worktrees.map(worktreeView), ...strays],
    checkpoints: found.checkpoints,
    expiredSessions: found.expiredSessions,
    compacted: found.compacted,
    containers: await containersLeft(dryRun),
    temporary: dryRun ? scratchLeft(agents) : removeScratch(agents),
  };
}

async function containersLeft(dryRun: boolean): Promise<Maintained["containers"]> {
  const env = ownEnvironment();
  const left = await boxesLeft(env);
  if (!dryRun) await removeBoxes(left, env);
  return left.map(({ id, engine, job }) => ({ id, engine, job }));
}
