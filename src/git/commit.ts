import { OWN_DIFF, tryGit } from "./git.ts";

/** A name is nothing but a name: git reads `:(top)x` and `*` in others. */
const literally = (path: string) => `:(literal)${path}`;

/** True where a merge, rebase or cherry-pick has left a conflict in the file. */
export async function isUnmerged(folder: string, path: string): Promise<boolean> {
  const { stdout } = await tryGit(folder, ["ls-files", "--unmerged", "--", literally(path)]);
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
  hooks: boolean,
): Promise<string | undefined> {
  const these = ["--", ...paths.map(literally)];
  const added = await tryGit(folder, ["add", ...these]);
  if (!added.ok) return `${paths.join(", ")} could not be staged: ${added.said}`;
  const changed = await tryGit(folder, ["diff", ...OWN_DIFF, "--cached", "--quiet", ...these]);
  if (changed.ok) return undefined;
  const commit = ["commit", "--quiet", "--only", "-m", message, ...these];
  const committed = await tryGit(folder, commit, { hooks });
  if (committed.ok) return undefined;
  return `${paths.join(", ")} could not be committed: ${committed.said} They are written, and stay uncommitted.`;
}
