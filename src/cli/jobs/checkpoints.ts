import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { findProject, lookIntoStore } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { paintFor, printable } from "../../display/style.ts";
import type { Job } from "../../job/job.ts";
import { findJob } from "../../store/jobs.ts";
import { type Checkpoint, listCheckpoints, restoreCheckpoint } from "../../workspace/checkpoint.ts";

export interface CheckpointsOptions {
  config?: string;
  json?: boolean;
}

export async function checkpoints(id: string, options: CheckpointsOptions): Promise<number> {
  const { list } = await checkpointsOf(id, options);
  if (options.json) {
    console.log(JSON.stringify(list.map(shown)));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  for (const { number, ref, at, subject } of list) {
    console.log(`${String(number).padStart(3)}  ${at}  ${paint("dim", ref)}  ${printable(subject)}`);
  }
  return 0;
}

export interface RestoreOptions extends CheckpointsOptions {
  to: string;
}

/** Only into a folder that holds nothing, so that nothing can be written over. */
export async function restore(
  id: string,
  number: number | undefined,
  options: RestoreOptions,
): Promise<number> {
  const { job, list } = await checkpointsOf(id, options);
  const wanted = number === undefined ? list.at(-1) : list.find((one) => one.number === number);
  if (!wanted) {
    const known = list.map((one) => one.number).join(", ") || "none";
    throw new UsageError(`${job.id} has no checkpoint ${number ?? ""}. It has: ${known}.`);
  }
  const into = resolve(options.to);
  if (existsSync(into) && readdirSync(into).length > 0) {
    throw new UsageError(`${into} is not empty. Name a new or an empty folder with --to.`);
  }
  await restoreCheckpoint(repositoryOf(job), wanted.commit, into);
  if (options.json) console.log(JSON.stringify({ ...shown(wanted), into }));
  else console.log(`Checkpoint ${wanted.number} of ${job.id} is in ${into}.`);
  return 0;
}

/** What scripts read. */
function shown({ number, ref, commit, at, subject }: Checkpoint) {
  return { number, ref, commit, at, subject };
}

async function checkpointsOf(
  id: string,
  options: CheckpointsOptions,
): Promise<{ job: Job; list: Checkpoint[] }> {
  await using store = await lookIntoStore(findProject(options));
  const job = await findJob(store, id);
  return { job, list: job.workspace ? await listCheckpoints(repositoryOf(job), job.id) : [] };
}

/** A worktree may be gone; its checkpoints are in the repository that it was of. */
function repositoryOf({ workspace }: Job): string {
  return workspace?.repo ?? workspace?.path ?? ".";
}
