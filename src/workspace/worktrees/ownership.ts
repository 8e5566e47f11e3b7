import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { gitFolderOf, ifMissing } from "../../git/folder.ts";
import { type Registered, registeredWorktrees } from "../../git/registered-worktrees.ts";

interface Wanted {
  repo: string;
  path: string;
  job: string;
  /** Nobody has worked in it yet: it may be half made. */
  neverReady?: boolean;
}

/** What is known of the place where a job has, or had, its worktree. */
export type Found =
  | { kind: "gone"; commonDir: string; others: Registered[] }
  | { kind: "foreign"; reason: string }
  | OwnWorktree;

export interface OwnWorktree {
  kind: "own";
  /** As git has it: without symbolic links. */
  path: string;
  /** Git's record of it in the repository: its HEAD, its index, its lock, and repositories of submodules. */
  admin: string;
  commonDir: string;
  entry: Registered;
  /** The folder may have been moved or deleted. */
  hasFolder: boolean;
  others: Registered[];
}

/** Ours is only what git's records, the lock and the folder itself all say is this job's. */
export async function findWorktree({ repo, path: place, job, neverReady = false }: Wanted): Promise<Found> {
  const [path, all] = await Promise.all([withoutLinks(place), registeredWorktrees(repo)]);
  const [folder, commonDir] = await Promise.all([lstat(path).catch(ifMissing), commonDirOf(all)]);
  const entry = all.find((one) => one.path === path);
  const others = all.filter((one) => one !== entry);
  const foreign = (why: string): Found => ({
    kind: "foreign",
    reason: `${path} is not a worktree that Baton made for ${job}: ${why}. If it is not needed, delete it yourself.`,
  });
  if (!entry) {
    if (!folder) return { kind: "gone", commonDir, others };
    return foreign(`git does not list it as a worktree of ${repo}`);
  }
  if (!isLockedFor(job, entry.locked, neverReady)) {
    return foreign(entry.locked ? `its lock says "${entry.locked}"` : "it has no lock");
  }
  const admin = await adminFolder(commonDir, path);
  if (admin === undefined) return foreign(`no record of git's in ${commonDir} points to it`);
  const own = { kind: "own", path, admin, commonDir, entry, others } as const;
  if (!folder) return { ...own, hasFolder: false };
  if (!folder.isDirectory()) return foreign("it is not a folder");
  const linked = await gitFolderOf(path);
  const isHalfMade = neverReady && linked === undefined;
  if (linked !== admin && !isHalfMade) return foreign(`its .git does not point to ${admin}`);
  return { ...own, hasFolder: true };
}

/** Whether somebody has deleted the folder of a worktree. Not where all around it is gone too, as with a disk. */
export async function isDeleted(path: string): Promise<boolean> {
  const [folder, around] = await Promise.all(
    [path, dirname(path)].map((place) => lstat(place).catch(ifMissing)),
  ).catch(() => [true, true]);
  return !folder && Boolean(around);
}

/** Git lists the main checkout first; a bare repository is listed as it is. */
async function commonDirOf([main]: Registered[]): Promise<string> {
  const path = main?.path ?? "";
  return (await gitFolderOf(path)) ?? realpath(path);
}

/** Git's own word while it makes a worktree is `initializing`. */
function isLockedFor(job: string, reason: string | undefined, neverReady: boolean): boolean {
  const [who, what] = (reason ?? "").split(" ");
  if (who === "baton" && what === `job:${job}`) return true;
  return neverReady && (reason === undefined || reason === "initializing");
}

/** Git names it after the worktree, with a number where that name is taken. */
async function adminFolder(commonDir: string, path: string): Promise<string | undefined> {
  const folder = join(commonDir, "worktrees");
  for (const name of [basename(path), ...(await readdir(folder))]) {
    const admin = join(folder, name);
    const link = await readFile(join(admin, "gitdir"), "utf8").catch(ifMissing);
    if (link !== undefined && resolve(admin, link.trimEnd()) === join(path, ".git")) return admin;
  }
  return undefined;
}

/** The last part is taken as it is: were it a link, it would not be the worktree. */
async function withoutLinks(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(ifMissing);
  return join(folder ?? dirname(path), basename(path));
}
