import { realpath } from "node:fs/promises";
import { askGit } from "../../git/git.ts";
import type { OwnSession } from "./session.ts";

type SameRepository = (one: OwnSession, other: OwnSession) => Promise<boolean>;

/**
 * Tells of two sessions whether they work on one repository, which its worktrees and folders all are. Where there is no
 * git, the project decides. What git says of a folder is remembered for as long as the function is kept.
 */
export function repositoryComparison(): SameRepository {
  const asked = new Map<string, Promise<string | undefined>>();

  function remembered(folder: string): Promise<string | undefined> {
    const found = asked.get(folder) ?? commonFolderOf(folder);
    asked.set(folder, found);
    return found;
  }

  /** The folder that a session was in may have gone before its project. */
  async function repositoryOf({ cwd, project }: OwnSession): Promise<string | undefined> {
    return (await remembered(cwd)) ?? (await remembered(project));
  }

  return async (one, other) => {
    if (one.project === other.project) return true;
    const repository = await repositoryOf(one);
    return repository !== undefined && repository === (await repositoryOf(other));
  };
}

/** Where git keeps what the worktrees of a repository share. */
async function commonFolderOf(folder: string): Promise<string | undefined> {
  const path = await askGit(folder, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  return path === undefined ? undefined : realpath(path).catch(() => undefined);
}
