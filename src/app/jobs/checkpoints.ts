import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { openIfBare } from "../../git/bare.ts";
import type { Job } from "../../job/job.ts";
import { type Checkpoint, listCheckpoints, restoreCheckpoint } from "../../workspace/checkpoint.ts";
import { lookIntoOwnStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { namedOrNewest } from "./which.ts";

export type CheckpointView = ReturnType<typeof checkpointView>;

/** The checkpoints of a job, or of the newest, oldest first. */
export async function checkpointsOf(project: Project, named: string | undefined): Promise<CheckpointView[]> {
  return (await listOf(await ownJob(project, named))).map(checkpointView);
}

interface Restored {
  job: string;
  checkpoint: CheckpointView;
  into: string;
}

/** The newest one unless told. Only into a folder that holds nothing, so that nothing can be written over. */
export async function restoreInto(
  folder: string,
  project: Project,
  named: string,
  number?: number,
): Promise<Restored> {
  const job = await ownJob(project, named);
  const list = await listOf(job);
  const wanted = number === undefined ? list.at(-1) : list.find((one) => one.number === number);
  if (!wanted) {
    const known = list.map((one) => one.number).join(", ") || "none";
    throw new UsageError(`${job.id} has no checkpoint ${number ?? ""}. It has: ${known}.`);
  }
  const into = resolve(folder);
  if (existsSync(into) && readdirSync(into).length > 0) {
    throw new UsageError(`${into} is not empty. Name a new or an empty folder with --to.`);
  }
  await restoreCheckpoint(repositoryOf(job), wanted.commit, into);
  return { job: job.id, checkpoint: checkpointView(wanted), into };
}

/** What `--json` prints: its keys are a promise to users. */
function checkpointView({ number, ref, commit, at, subject }: Checkpoint) {
  return { number, ref, commit, at, subject };
}

/** Of this machine's own store alone: git is run in the repository that it names. */
async function ownJob(project: Project, named: string | undefined): Promise<Job> {
  await using store = await lookIntoOwnStore(project);
  return await namedOrNewest(store, named);
}

async function listOf(job: Job): Promise<Checkpoint[]> {
  if (!job.workspace) return [];
  await openIfBare(repositoryOf(job));
  return await listCheckpoints(repositoryOf(job), job.id);
}

/** A worktree may be gone; its checkpoints are in the repository that it was of. */
function repositoryOf({ workspace }: Job): string {
  return workspace?.repo ?? workspace?.path ?? ".";
}
