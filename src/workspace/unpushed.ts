import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { git, tryGit } from "./git.ts";
import { type TreeStatus, treeStatus } from "./tree-status.ts";

/** A repository inside a worktree whose work would go with the worktree. */
export interface Unpushed {
  /** Relative to the worktree; whole for a repository that is not checked out there. */
  path: string;
  why: string;
}

/**
 * Submodules and embedded repositories, at any depth, with work that is on none of their own remotes. A checkpoint
 * holds nothing of theirs but the name of a commit, and git keeps the submodules' repositories with the worktree.
 */
export async function unpushedRepositories(worktree: string, status?: TreeStatus): Promise<Unpushed[]> {
  const { submodules, embedded } = status ?? (await treeStatus(worktree));
  const gitDir = await git(worktree, ["rev-parse", "--absolute-git-dir"]);
  const looks = await Promise.all([...submodules, ...embedded].map((path) => lookAt(worktree, path)));
  const inUse = new Set(looks.flatMap((look) => look.gitDir ?? []));
  return [...looks.flatMap((look) => look.unpushed), ...(await unpushedModules(gitDir, inUse))];
}

/** Repositories of submodules that were checked out once: they stay when a commit without the submodule is. */
export async function unpushedModules(gitDir: string, inUse = new Set<string>()): Promise<Unpushed[]> {
  const modules = await repositoriesIn(join(await realpath(gitDir), "modules"));
  const unused = modules.filter((module) => !inUse.has(module));
  return (await Promise.all(unused.map(lookAtModule))).flat();
}

interface Look {
  gitDir?: string;
  unpushed: Unpushed[];
}

async function lookAt(worktree: string, path: string): Promise<Look> {
  const folder = join(worktree, path);
  const found = (why: string): Look => ({ unpushed: [{ path, why }] });
  if (!(await lstat(join(folder, ".git")).catch(() => undefined))) {
    // As git sees it, whatever is in there belongs to a repository that is not there.
    const isEmpty = (await namesIn(folder)).length === 0;
    return isEmpty ? { unpushed: [] } : found("is not checked out, and holds files all the same");
  }
  const env = { GIT_CEILING_DIRECTORIES: dirname(folder) };
  const names = ["--path-format=absolute", "--git-dir", "--git-common-dir"];
  const run = await tryGit(folder, ["rev-parse", ...names], { env });
  if (!run.ok) return found(`cannot be read: ${run.said}`);
  const [gitDir = "", commonDir = ""] = run.stdout.trim().split("\n");
  if (gitDir !== commonDir) return found(`is a worktree of the repository ${commonDir}`);
  const status = await treeStatus(folder);
  const [commits, inside] = await Promise.all([
    unpushedCommits(folder),
    unpushedRepositories(folder, status),
  ]);
  const unpushed = inside.map((one) => ({
    ...one,
    path: isAbsolute(one.path) ? one.path : join(path, one.path),
  }));
  const changed = status.changed || status.overlooked.length > 0;
  if (changed) unpushed.unshift({ path, why: "has files that are not committed" });
  if (commits > 0) unpushed.unshift({ path, why: notPushed(commits) });
  return { gitDir: await realpath(gitDir), unpushed };
}

async function lookAtModule(module: string): Promise<Unpushed[]> {
  // Its configuration names a work tree, which need not be there.
  const commits = await unpushedCommits(module, { GIT_DIR: module, GIT_WORK_TREE: module });
  const inside = await unpushedModules(module);
  return commits > 0 ? [{ path: module, why: notPushed(commits) }, ...inside] : inside;
}

/** Of HEAD, all branches, tags and the stash. */
async function unpushedCommits(folder: string, env: Record<string, string> = {}): Promise<number> {
  return Number(await git(folder, ["rev-list", "--count", "--all", "--not", "--remotes"], { env }));
}

function notPushed(commits: number): string {
  return `has ${commits === 1 ? "a commit" : `${commits} commits`} on none of its remotes`;
}

/** The name of a submodule may have slashes. */
async function repositoriesIn(folder: string): Promise<string[]> {
  const found = await Promise.all(
    (await namesIn(folder)).map(async (name) => {
      const path = join(folder, name);
      const isRepository = (await namesIn(path)).includes("HEAD");
      return isRepository ? [path] : repositoriesIn(path);
    }),
  );
  return found.flat();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
