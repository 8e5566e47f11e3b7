import { lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { askGit } from "../git/git.ts";
import { type Mount, readable, writable } from "./layout.ts";

/**
 * A folder with what git needs of it, at the same paths as outside. What decides which programs git runs is read-only: its
 * hooks and its configuration, and where it looks for them. The host's own git runs those.
 */
export async function workspaceMounts(folder: string, mode: "rw" | "ro"): Promise<Mount[]> {
  const put = mode === "rw" ? writable : readable;
  const told = await askGit(folder, [
    "rev-parse",
    "--path-format=absolute",
    "--show-toplevel",
    "--git-dir",
    "--git-common-dir",
  ]);
  const [top, gitDir, common] = told?.split("\n") ?? [];
  if (!top || !gitDir || !common) return [put(folder)];
  const dotGit = join(top, ".git");
  const guards = [common, ...modulesBelow(join(common, "modules"))].flatMap(guardsIn);
  return [
    put(top),
    // A mount cannot be moved away, and what is moved away could be replaced by something else.
    isFile(dotGit) ? readable(dotGit) : writable(dotGit),
    writable(common),
    ...guards,
    ...(gitDir === common ? [] : ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name)))
      .filter(isThere)
      .map(readable),
  ];
}

/** Folders and files that cannot be there yet must be made: what is missing could be made from inside. */
function guardsIn(gitDir: string): Mount[] {
  const hooks = join(gitDir, "hooks");
  mkdirSync(hooks, { recursive: true });
  const files = ["config", "config.worktree"].map((name) => join(gitDir, name)).filter(isThere);
  return [readable(hooks), ...files.map(readable)];
}

/** Repositories of submodules, which may have some of their own. */
function modulesBelow(folder: string, depth = 4): string[] {
  if (depth === 0 || !isThere(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      if (!isThere(join(path, "HEAD"))) return modulesBelow(path, depth - 1);
      return [path, ...modulesBelow(join(path, "modules"), depth - 1)];
    });
}

/**
 * What an agent may have put beside the configuration so that git would read another one. A repository that is no
 * worktree has no such file.
 */
export function plantedIn(mounts: readonly Mount[]): string[] {
  const repositories = mounts
    .filter(({ target, readOnly }) => readOnly && target.endsWith("/hooks"))
    .map(({ target }) => dirname(target));
  return repositories.map((folder) => join(folder, "commondir")).filter(isThere);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Where a path leads to, or as it is where there is nothing. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
