import { existsSync } from "node:fs";
import { openIfBare } from "../../git/bare.ts";
import { type ChangedLines, type Compared, changedLines, patch } from "../../git/diff.ts";
import { askGit } from "../../git/git.ts";
import type { Job } from "../../job/job.ts";
import { type Checkpoint, listCheckpoints } from "../../workspace/checkpoint.ts";
import type { WorkspaceRecord } from "../../workspace/workspace.ts";
import { namedOrNewest } from "../jobs/which.ts";
import { lookIntoOwnStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";

export type { ChangedLines } from "../../git/diff.ts";

/** There is nothing any more, or not yet, in which one could see what a job changed. */
export class NothingLeftError extends UsageError {}

/** What a job changed, from the commit that it began from. */
export interface JobChanges {
  job: string;
  /** The commit. */
  from: string;
  /** Up to when, in words. */
  to: string;
  /** What else may be in it. */
  note?: string;
  files(): Promise<ChangedLines[]>;
  /** `options`: git's, for how it is written. `only`: of this file alone. */
  patch(options?: readonly string[], only?: string): Promise<Buffer>;
}

interface Reached {
  to?: string;
  words: string;
  note?: string;
}

/** `checkpoint`: up to that one. `since`: from that one, in place of where the job began. Of this machine's own store alone: git is run in the repository that it names. */
export async function jobChanges(
  project: Project,
  named: string | undefined,
  checkpoint?: number,
  since?: number,
): Promise<JobChanges> {
  const job = await ownJob(project, named);
  const { workspace } = job;
  if (!workspace) throw new NothingLeftError(`${job.id} has not started, so it has changed nothing.`);
  const folder = repositoryOf(workspace);
  if (!existsSync(folder)) throw new NothingLeftError(`The folder of ${job.id} is gone: ${folder}`);
  await openIfBare(folder);
  const checkpoints = await listCheckpoints(folder, job.id);
  const from =
    since === undefined
      ? (workspace.base ?? (await emptyTree(folder)))
      : numbered(job, checkpoints, since).to;
  if (from === undefined) {
    throw new NothingLeftError(
      `${job.id} worked in ${folder}, which is not in a git repository, so there is no telling what it changed.`,
    );
  }
  const reached =
    checkpoint === undefined
      ? await reachedBy(job, workspace, checkpoints)
      : numbered(job, checkpoints, checkpoint);
  const { to, words, note } = reached;
  const compared: Compared = { folder: to === undefined ? workspace.path : folder, from, ...(to && { to }) };
  return {
    job: job.id,
    from,
    to: words,
    ...(note && { note }),
    files: () => changedLines(compared),
    patch: (options, only) => patch({ ...compared, ...(only !== undefined && { only }) }, options),
  };
}

async function ownJob(project: Project, named: string | undefined): Promise<Job> {
  await using store = await lookIntoOwnStore(project);
  return await namedOrNewest(store, named);
}

/** A worktree may be gone; what was done in it is in the repository that it was of. */
function repositoryOf({ repo, path, state }: WorkspaceRecord): string {
  return repo !== null && state === "removed" ? repo : path;
}

/** What a repository without a commit is compared with. Undefined outside of one. */
async function emptyTree(folder: string): Promise<string | undefined> {
  const isInside = (await askGit(folder, ["rev-parse", "--git-dir"])) !== undefined;
  return isInside ? askGit(folder, ["hash-object", "-t", "tree", "/dev/null"]) : undefined;
}

function numbered(job: Job, checkpoints: Checkpoint[], number: number): Reached {
  const found = checkpoints.find((one) => one.number === number);
  if (found) return { to: found.commit, words: `checkpoint ${number}` };
  const known = checkpoints.map((one) => one.number).join(", ") || "none";
  throw new UsageError(`${job.id} has no checkpoint ${number}. It has: ${known}.`);
}

/** How far the job got: where its files are, or what holds them now. */
async function reachedBy(job: Job, workspace: WorkspaceRecord, checkpoints: Checkpoint[]): Promise<Reached> {
  const newest = checkpoints.at(-1);
  if (workspace.state === "removed") return ofBranch(job, workspace, newest);
  if (workspace.repo !== null) return { words: "its worktree, as it is now" };
  // When it stopped without an end, the folder was kept as it was then.
  const isKept = job.status === "failed" || job.status === "cancelled" || job.status === "paused";
  if (isKept && newest && newest.ref === job.checkpoint) {
    return { to: newest.commit, words: `checkpoint ${newest.number}, made when it was ${job.status}` };
  }
  const isAtWork = job.status === "running" || job.status === "waiting";
  return {
    words: "its folder, as it is now",
    ...(!isAtWork && {
      note: `${job.id} worked in a folder that others use: this includes changes made before and after it.`,
    }),
  };
}

/** A checkpoint on top of the branch holds what was not committed as well. */
async function ofBranch(
  job: Job,
  { repo, branch, branchKept, pushed }: WorkspaceRecord,
  newest: Checkpoint | undefined,
): Promise<Reached> {
  const folder = repo ?? ".";
  const tip = branch && branchKept ? await commitOf(folder, `refs/heads/${branch}`) : undefined;
  const published = pushed === null ? undefined : await commitOf(folder, pushed);
  const commit = tip ?? published;
  if (newest && (commit === undefined || newest.parents === commit)) {
    return { to: newest.commit, words: `checkpoint ${newest.number}` };
  }
  if (commit !== undefined) return { to: commit, words: tip ? `the branch ${branch}` : "what was pushed" };
  throw new NothingLeftError(
    `The worktree of ${job.id} is removed, and left neither a branch nor a checkpoint.`,
  );
}

function commitOf(folder: string, name: string): Promise<string | undefined> {
  return askGit(folder, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
}
