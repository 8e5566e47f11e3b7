import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isWorktreeFolder } from "../../files/made-here.ts";

const ID = /^job-\d{4}-\d{2}-\d{2}-[0-9a-z]+$/;

interface Place {
  path: string;
  job: string;
  /** Where a removal that was cut off said that it moves the worktree. */
  trash?: string | null;
}

/**
 * Why nothing may be removed at the places that a store names; undefined where it may. They are worked out anew: a
 * worktree is `<folder that this machine makes worktrees in>/<id of a job>`, and its trash is beside it under the job's own
 * name. What a store says alone decides nothing, because it may have been written by anybody.
 */
export async function notOurPlace({ path, job, trash = null }: Place): Promise<string | undefined> {
  const folder = await real(dirname(path));
  if (!ID.test(job) || !ID.test(basename(path)) || !isWorktreeFolder(folder)) {
    return `${path} is not where Baton makes worktrees on this machine, so it stays. If it is not needed, delete it yourself.`;
  }
  if (trash === null) return undefined;
  const bin = join(folder, ".trash");
  const isOurs = (await real(dirname(dirname(trash)))) === folder && basename(dirname(trash)) === ".trash";
  const named = new RegExp(`^${job}-[0-9a-f]{12}$`).test(basename(trash));
  if (isOurs && named && !(await isLink(bin)) && !(await isLink(join(bin, basename(trash)))))
    return undefined;
  return `${trash} is not where Baton puts what it removes for ${job}, so it stays. If it is not needed, delete it yourself.`;
}

/** Whether what lies in the trash of this folder is Baton's to delete. */
export async function isOurTrash(folder: string): Promise<boolean> {
  const place = await real(folder);
  return isWorktreeFolder(place) && !(await isLink(join(place, ".trash")));
}

function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}
