import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { git } from "./git.ts";
import { type Registered, registeredWorktrees } from "./registered.ts";

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
export async function findWorktree({ repo, path: place, job, neverReady }: Wanted): Promise<Found> {
  const [path, commonDir, all] = await Promise.all([
    withoutLinks(place),
    git(repo, ["rev-parse", "--path-format=absolute", "--git-common-dir"]).then((dir) => realpath(dir)),
    registeredWorktrees(repo),
  ]);
  const entry = all.find((one) => one.path === path);
  const others = all.filter((one) => one !== entry);
  const folder = await lstat(path).catch(ifMissing);
  const foreign = (why: string): Found => ({
    kind: "foreign",
    reason: `${path} is not a worktree that Baton made for ${job}: ${why}. If it is not needed, delete it yourself.`,
  });
  if (!entry) {
    if (!folder) return { kind: "gone", commonDir, others };
    return foreign(`git does not list it as a worktree of ${repo}`);
  }
  if (!isLockedFor(job, entry.locked, neverReady ?? false)) {
    return foreign(entry.locked ? `its lock says "${entry.locked}"` : "it has no lock");
  }
  const admin = await adminFolder(commonDir, path);
  if (admin === undefined) return foreign(`no record of git's in ${commonDir} points to it`);
  if (!folder) return { kind: "own", path, admin, commonDir, entry, hasFolder: false, others };
  if (!folder.isDirectory()) return foreign("it is not a folder");
  const link = await readFile(join(path, ".git"), "utf8").catch(ifMissing);
  const isHalfMade = neverReady && link === undefined;
  if (!isHalfMade && (await target(path, link)) !== admin)
    return foreign(`its .git does not point to ${admin}`);
  return { kind: "own", path, admin, commonDir, entry, hasFolder: true, others };
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

async function target(path: string, link: string | undefined): Promise<string | undefined> {
  const named = /^gitdir: (.+)$/m.exec(link ?? "")?.[1];
  return named === undefined ? undefined : realpath(resolve(path, named)).catch(ifMissing);
}

/** The last part is taken as it is: were it a link, it would not be the worktree. */
async function withoutLinks(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(ifMissing);
  return join(folder ?? dirname(path), basename(path));
}

/** Anything but a definite "not there" is a reason to stop. */
function ifMissing(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
