import { openIfBare } from "../../git/bare.ts";
import { registeredWorktrees } from "../../git/registered-worktrees.ts";
import { leaseIn } from "./checkout.ts";
import { isDeleted } from "./ownership.ts";

/** A worktree whose lock names Baton, and of which the ledger knows nothing. Nobody removes it but its user. */
export interface Stray {
  repo: string;
  path: string;
  branch: string | null;
  /** Whom its lock names. */
  job: string;
  /** What is known of it; then, in lines of their own, what can be done. */
  reason: string;
}

/** Of the repository that a folder is in. `known`: the paths of all worktrees in the ledger. */
export async function strayWorktrees(folder: string, known: ReadonlySet<string>): Promise<Stray[]> {
  await openIfBare(folder);
  const [main, ...others] = await registeredWorktrees(folder);
  const found: Stray[] = [];
  for (const { path, branch = null, locked } of others) {
    const lease = leaseIn(locked);
    if (!main || !lease || known.has(path)) continue;
    const repo = main.path;
    const reason = (await isDeleted(path)) ? aboutGone(repo, path) : aboutOther(repo, path, lease.pid);
    found.push({ repo, path, branch, job: lease.job, reason });
  }
  return found;
}

function aboutGone(repo: string, path: string): string {
  return [
    "no record here knows it, and its folder is gone",
    `Have git forget it: ${unlock(repo, path)} && git -C ${quoted(repo)} worktree prune`,
  ].join("\n");
}

/** Without `--force`, git itself keeps a worktree in which something is not committed. */
function aboutOther(repo: string, path: string, pid: number): string {
  return [
    `no record here knows it: it is another project's, or its store is gone (made by process ${pid})`,
    `See what it holds: git -C ${quoted(path)} status`,
    `If nobody needs it: ${unlock(repo, path)} && git -C ${quoted(repo)} worktree remove ${quoted(path)}`,
  ].join("\n");
}

const unlock = (repo: string, path: string) => `git -C ${quoted(repo)} worktree unlock ${quoted(path)}`;

/** For a shell: the user may paste it. */
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
