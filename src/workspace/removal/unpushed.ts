import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { gitFolderOf, ifMissing } from "../../git/folder.ts";
import { git } from "../../git/git.ts";
import { type TreeStatus, treeStatus } from "../../git/tree-status.ts";

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
  const looks = await Promise.all([...submodules, ...embedded].map((path) => lookAt(worktree, path)));
  const inUse = new Set(looks.flatMap((look) => look.gitDir ?? []));
  const gitDir = await gitFolderOf(worktree);
  const unused = gitDir === undefined ? [] : await unpushedModules(gitDir, inUse);
  return [...looks.flatMap((look) => look.unpushed), ...unused];
}

/** Repositories of submodules that were checked out once: they stay when a commit without the submodule is. */
export async function unpushedModules(gitDir: string, inUse = new Set<string>()): Promise<Unpushed[]> {
  const modules = await repositoriesIn(join(gitDir, "modules"));
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
  const gitDir = await gitFolderOf(folder);
  if (gitDir === undefined) {
    // To git, whatever is in there belongs to a repository that is not there.
    const isEmpty = (await namesIn(folder)).length === 0;
    return isEmpty ? { unpushed: [] } : found("holds files, and its repository is not there");
  }
  if ((await namesIn(gitDir)).includes("commondir")) return found("is a worktree of another repository");
  const status = await treeStatus(folder);
  const [commits, inside] = await Promise.all([
    unpushedCommits(folder),
    unpushedRepositories(folder, status),
  ]);
  const unpushed: Unpushed[] = [];
  if (commits > 0) unpushed.push({ path, why: notPushed(commits) });
  if (status.changed || status.overlooked.length > 0) {
    unpushed.push({ path, why: "has files that are not committed" });
  }
  for (const one of inside) {
    unpushed.push({ ...one, path: isAbsolute(one.path) ? one.path : join(path, one.path) });
  }
  return { gitDir, unpushed };
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
  return (await readdir(folder).catch(ifMissing)) ?? [];
}
