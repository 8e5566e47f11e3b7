import { git } from "../../git/git.ts";
import type { Job } from "../../job/job.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob, JobOwnedError } from "../../store/claims.ts";
import { allJobs } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";
import { type Checkpoint, jobsWithCheckpoints, listCheckpoints } from "../../workspace/checkpoint.ts";
import {
  commitsWith,
  isHeldBy,
  type Pushed,
  remoteBranches,
} from "../../workspace/removal/held-elsewhere.ts";
import { type Repository, repositoryAt } from "../../workspace/worktrees/repository.ts";
import { Journal } from "../journal.ts";

/** Checkpoints of a job that were not needed any more. */
export interface OldCheckpoints {
  job: string;
  refs: string[];
}

interface Options {
  maxAgeMs: number;
  dryRun: boolean;
  now: () => Date;
  signal: AbortSignal;
}

/**
 * Removes the checkpoints of jobs that completed long ago and whose work was pushed: only those of which the remote, as it
 * is now, has every file. Any other stays, whatever its age.
 */
export async function removeOldCheckpoints(store: Store, options: Options): Promise<OldCheckpoints[]> {
  const { maxAgeMs, now, signal } = options;
  const finishedBefore = new Date(now().getTime() - maxAgeMs);
  const repositories = new Map<string, Promise<Surroundings | undefined>>();
  const removed: OldCheckpoints[] = [];
  for await (const job of allJobs(store, { status: "completed", finishedBefore })) {
    if (signal.aborted) break;
    const pushed = pushedBy(job);
    const root = job.workspace?.repo;
    if (!pushed || !root) continue;
    const around = repositories.get(root) ?? lookAround(root, signal).catch(() => undefined);
    repositories.set(root, around);
    const refs = await removeOf(store, job.id, pushed, await around, options);
    if (refs.length > 0) removed.push({ job: job.id, refs });
  }
  return removed;
}

function pushedBy({ workspace }: Job): Pushed | undefined {
  const { pushed: commit, branch, base, baseBranch, state } = workspace ?? {};
  if (!commit || !branch || !base || !baseBranch || state !== "removed") return undefined;
  return { commit, branch, base, baseBranch };
}

interface Surroundings {
  repo: Repository;
  /** Those that have checkpoints there. */
  jobs: Set<string>;
  heads: Map<string, string>;
}

/** The remote is only asked where there is something to remove. */
async function lookAround(root: string, signal: AbortSignal): Promise<Surroundings | undefined> {
  const repo = await repositoryAt(root);
  const jobs = await jobsWithCheckpoints(root);
  const heads = jobs.size > 0 ? await remoteBranches(repo, signal) : undefined;
  return heads && { repo, jobs, heads };
}

async function removeOf(
  store: Store,
  job: string,
  pushed: Pushed,
  around: Surroundings | undefined,
  { dryRun, now }: Options,
): Promise<string[]> {
  if (!around?.jobs.has(job)) return [];
  const { root } = around.repo;
  const commits = await commitsWith(root, pushed, around.heads).catch(() => []);
  const held: Checkpoint[] = [];
  for (const checkpoint of commits.length > 0 ? await listCheckpoints(root, job) : []) {
    if (await isHeldBy(root, checkpoint.commit, pushed.base, commits)) held.push(checkpoint);
  }
  const refs = held.map(({ ref }) => ref);
  if (refs.length === 0 || dryRun) return refs;
  try {
    const claim = await claimJob(store, job, thisProcess(), now());
    await using journal = new Journal(store, claim, now);
    await journal.record({ type: "checkpoints:removed", refs, remote: around.repo.remote ?? "" });
    for (const { ref, commit } of held) await git(root, ["update-ref", "-d", ref, commit]);
    return refs;
  } catch (error) {
    if (error instanceof JobOwnedError) return [];
    throw error;
  }
}
