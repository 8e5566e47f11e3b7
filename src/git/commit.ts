import { OWN_DIFF, tryGit } from "./git.ts";

/** True where a merge, rebase or cherry-pick has left a conflict in the file. */
export async function isUnmerged(folder: string, path: string): Promise<boolean> {
  const { stdout } = await tryGit(folder, ["--literal-pathspecs", "ls-files", "--unmerged", "--", path]);
  return stdout.trim() !== "";
}

/**
 * Commits these files and nothing else, whatever else is staged. Returns what went wrong: the files then stay as they
 * are, uncommitted.
 */
export async function commitOnly(
  folder: string,
  paths: string[],
  message: string,
): Promise<string | undefined> {
  const added = await tryGit(folder, ["--literal-pathspecs", "add", "--", ...paths]);
  if (!added.ok) return `${paths.join(", ")} could not be staged: ${added.said}`;
  const changed = await tryGit(folder, [
    "--literal-pathspecs",
    "diff",
    ...OWN_DIFF,
    "--cached",
    "--quiet",
    "--",
    ...paths,
  ]);
  if (changed.ok) return undefined;
  const committed = await tryGit(folder, [
    "--literal-pathspecs",
    "commit",
    "--quiet",
    "--only",
    "-m",
    message,
    "--",
    ...paths,
  ]);
  if (committed.ok) return undefined;
  return `${paths.join(", ")} could not be committed: ${committed.said} They are written, and stay uncommitted.`;
}
