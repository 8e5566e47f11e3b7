import { openIfBare } from "../../git/bare.ts";
import { type Job, leavesOf } from "../../job/job.ts";
import { removeLog } from "../../jobs/background-log.ts";
import { forgetJob } from "../../store/forget.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { listCheckpoints } from "../../workspace/checkpoint.ts";
import { UsageError } from "../usage-error.ts";

/** A job that can be forgotten, and what of it stays. */
export interface Forgettable {
  job: Job;
  documents: string[];
  checkpoints: number;
  branch?: string;
  /** It could be resumed, and cannot be afterwards. */
  isUnfinished: boolean;
}

/** Refuses what runs, and what has a worktree: Baton knows by its record alone that the worktree may be removed. */
export async function forgettable(store: Store, named: string): Promise<Forgettable> {
  const job = await findJob(store, named);
  const { id, status, workspace, handoffs } = job;
  if (["created", "queued", "running", "waiting"].includes(status)) {
    throw new UsageError(`${id} is ${status}. End it first: baton cancel ${id}`);
  }
  if (leavesOf(job) === "worktree") {
    throw new UsageError(
      `${id} still has its worktree, ${workspace?.path}. \`baton worktrees\` says why, and \`baton maintain\` removes it if that is safe.`,
    );
  }
  const branch = leavesOf(job) === "branch" ? workspace?.branch : undefined;
  return {
    job,
    documents: handoffs.map(({ documentPath }) => documentPath),
    checkpoints: await countCheckpoints(job),
    ...(branch && { branch }),
    isUnfinished: status !== "completed" && !job.compacted,
  };
}

/** Its record goes, and what its process printed. Documents, checkpoints and branches are not touched. */
export async function forget(store: Store, { job }: Forgettable): Promise<void> {
  await forgetJob(store, job.id);
  await removeLog(job);
}

async function countCheckpoints({ id, workspace }: Job): Promise<number> {
  if (!workspace) return 0;
  const repository = workspace.repo ?? workspace.path;
  await openIfBare(repository);
  return (await listCheckpoints(repository, id)).length;
}
