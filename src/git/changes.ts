import { zeroSeparated } from "./git.ts";

/** What a commit of everything in a worktree would have to deal with. Paths are relative to its top. */
export interface Changes {
  any: boolean;
  unmerged: string[];
  /** Files of the last commit that are not in the tree. */
  missing: string[];
  /** Folders that are repositories of their own, and would become links to commits that nobody else has. */
  repositories: string[];
}

const REPOSITORY = "160000";
const NOTHING = "000000";

/** Reads `git status --porcelain=v2 -z --untracked-files=all --no-renames`. */
export function changesIn(status: string): Changes {
  const entries = zeroSeparated(status).filter((entry) => !entry.startsWith("#"));
  const untracked = entries.filter((entry) => entry.startsWith("? ")).map((entry) => entry.slice(2));
  const changes: Changes = {
    any: entries.length > 0,
    unmerged: entries.filter((entry) => entry.startsWith("u ")).map((entry) => pathAfter(entry, 10)),
    missing: [],
    repositories: untracked.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)),
  };
  const inTree = new Set(untracked);
  for (const entry of entries.filter((each) => each.startsWith("1 "))) {
    const path = pathAfter(entry, 8);
    const [, , , inHead, inIndex, onDisk] = entry.split(" ", 6);
    if (inHead !== NOTHING && onDisk === NOTHING && !inTree.has(path)) changes.missing.push(path);
    const becomesRepository = inHead !== REPOSITORY && (inIndex === REPOSITORY || onDisk === REPOSITORY);
    if (becomesRepository) changes.repositories.push(path);
  }
  return changes;
}

/** A path may have spaces of its own. */
function pathAfter(entry: string, fields: number): string {
  return entry.split(" ").slice(fields).join(" ");
}
