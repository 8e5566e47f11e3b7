import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exists } from "../../files/exists.ts";
import { tryGit } from "../../git/git.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { WorkspaceError } from "../workspace.ts";

const LIMIT_MS = 10 * 60_000;
const TRIES = 10;

/** Fetches the submodules of a new worktree, and theirs, where it has any. */
export async function initSubmodules(worktree: string, signal: AbortSignal): Promise<void> {
  if (!(await exists(join(worktree, ".gitmodules")))) return;
  await register(worktree, signal);
  const args = ["submodule", "--quiet", "update", "--init", "--recursive"];
  const run = await tryGit(worktree, args, { timeoutMs: LIMIT_MS, signal });
  signal.throwIfAborted();
  if (run.ok) return;
  const why =
    run.code === null ? `it took longer than ${LIMIT_MS / 60_000} min` : withoutCredentials(run.said);
  throw new WorkspaceError(
    `The submodules of ${worktree} could not be fetched: ${why}\nSee that \`git submodule update --init --recursive\` works in a clone of the repository without asking for anything. One that jobs can do without: git config submodule.<name>.update none`,
  );
}

/** Registering them is quick and writes the configuration that all worktrees share: of many at once, one gets its lock. */
async function register(worktree: string, signal: AbortSignal): Promise<void> {
  for (let tried = 1; tried <= TRIES; tried++) {
    const run = await tryGit(worktree, ["submodule", "--quiet", "init"], { signal });
    signal.throwIfAborted();
    if (run.ok) return;
    await sleep(Math.random() * 20 * tried, undefined, { signal });
  }
}
