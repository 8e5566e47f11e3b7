import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { exists } from "../../files/exists.ts";
import { ifMissing } from "../../git/folder.ts";
import { askGit, git } from "../../git/git.ts";
import { registeredWorktrees } from "../../git/registered-worktrees.ts";

const BY_BATON = "# By Baton: this file is of this machine only.";

/**
 * Keeps a file out of the repository of its folder, where that neither tracks nor ignores it. Returns the file of git in
 * which that is said now, if anything had to be.
 */
export async function excludeFromGit(folder: string, path: string): Promise<string | undefined> {
  const status = await askGit(folder, ["status", "--porcelain", "--untracked-files=all", "--", path]);
  const place = status?.startsWith("??") ? await placeFor(folder, path) : undefined;
  if (!place) return undefined;
  const text = (await readFile(place.file, "utf8").catch(ifMissing)) ?? "";
  const apart = text === "" || text.endsWith("\n") ? "" : "\n";
  await mkdir(dirname(place.file), { recursive: true });
  await writeFile(place.file, `${text}${apart}${place.lines}`);
  return place.file;
}

/**
 * Takes out what `excludeFromGit` put in, unless another worktree has such a file: they all share what is said there.
 * Returns out of which file; undefined where nothing was taken out.
 */
export async function noLongerExclude(folder: string, path: string): Promise<string | undefined> {
  const place = await placeFor(folder, path);
  if (!place) return undefined;
  const text = (await readFile(place.file, "utf8").catch(ifMissing)) ?? "";
  if (!text.includes(place.lines) || (await isInOtherWorktree(folder, place.path))) return undefined;
  await writeFile(place.file, text.replace(place.lines, ""));
  return place.file;
}

/** A pattern names a path from the root of the repository on. */
async function placeFor(folder: string, path: string) {
  const [prefix, file] = await Promise.all([
    askGit(folder, ["rev-parse", "--show-prefix"]),
    askGit(folder, ["rev-parse", "--git-path", "info/exclude"]),
  ]);
  if (prefix === undefined || file === undefined) return undefined;
  const fromRoot = `${prefix}${path}`;
  const pattern = `/${fromRoot}`.replace(/[\\*?[\]]/g, "\\$&");
  return { file: resolve(folder, file), path: fromRoot, lines: `${BY_BATON}\n${pattern}\n` };
}

async function isInOtherWorktree(folder: string, path: string): Promise<boolean> {
  const ours = await git(folder, ["rev-parse", "--show-toplevel"]);
  const others = (await registeredWorktrees(folder)).filter((worktree) => worktree.path !== ours);
  const found = await Promise.all(others.map((worktree) => exists(join(worktree.path, path))));
  return found.includes(true);
}
