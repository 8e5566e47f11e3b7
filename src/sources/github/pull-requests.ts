import { addressIn } from "../../git/address.ts";
import { messageOf } from "../../util/errors.ts";
import type { OpenPullRequest, ProposedBranch } from "../../workspace/workspace.ts";
import { type GitHubConnection, RefusedError, UnclearError } from "./connection.ts";
import { Pull, read, readEach } from "./shapes.ts";

interface Tracker {
  connection: GitHubConnection;
  /** Whose issues are worked on. The branch may be of another repository of the same GitHub. */
  repo: string;
}

/** How long after a broken answer it is looked whether the pull request is there, which a replica may not know at once. */
const LOOK_AGAIN_MS = [2_000, 5_000];

/** Opens pull requests for the work on one issue. A merge closes it, where the branch is of the issue's own repository. */
export function pullRequestsFor(tracker: Tracker, issue: string): OpenPullRequest {
  return async (proposed) => {
    const repo = repositoryAt(proposed.address, tracker);
    if (repo === undefined) return undefined;
    const isOwn = repo.toLowerCase() === tracker.repo.toLowerCase();
    // At its top, where nothing that the agent wrote can hide it.
    const link = isOwn ? `Closes #${issue}` : `For ${tracker.repo}#${issue}`;
    const target = { connection: tracker.connection, repo };
    try {
      return { url: await open(target, { ...proposed, body: `${link}\n\n${proposed.body}` }) };
    } catch (error) {
      return { problem: `No pull request was opened for ${proposed.branch}: ${messageOf(error)}` };
    }
  };
}

async function open(target: Tracker, proposed: ProposedBranch): Promise<string> {
  for (const waitMs of LOOK_AGAIN_MS) {
    const found = await existing(target, proposed);
    if (found !== undefined) return found;
    try {
      return await create(target, proposed);
    } catch (error) {
      if (error instanceof UnclearError) await target.connection.sleep(waitMs, proposed.signal);
      else return await openedMeanwhile(error, target, proposed);
    }
  }
  return (await existing(target, proposed)) ?? (await create(target, proposed));
}

/** GitHub refuses a second one for the same branch with 422, which it gives other reasons for as well. */
async function openedMeanwhile(error: unknown, target: Tracker, proposed: ProposedBranch): Promise<string> {
  const found =
    error instanceof RefusedError && error.status === 422 ? await existing(target, proposed) : undefined;
  if (found === undefined) throw error;
  return found;
}

async function create({ connection, repo }: Tracker, proposed: ProposedBranch): Promise<string> {
  const { branch: head, baseBranch: base, title, body, signal } = proposed;
  const path = `/repos/${repo}/pulls`;
  const answer = await connection.ask({
    method: "POST",
    path,
    body: { title, head, base, body },
    once: true,
    signal,
  });
  return read(Pull, answer.body, "a pull request").html_url;
}

/** The open one of this very branch, into the same base. */
async function existing(
  { connection, repo }: Tracker,
  { branch, baseBranch, signal }: ProposedBranch,
): Promise<string | undefined> {
  const owner = repo.split("/")[0] ?? "";
  const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}`, base: baseBranch });
  const { body } = await connection.ask({ path: `/repos/${repo}/pulls?${query}`, signal });
  const own = readEach(Pull, body, "pull requests").filter(({ head }) => {
    return head.ref === branch && head.repo?.full_name.toLowerCase() === repo.toLowerCase();
  });
  return own[0]?.html_url;
}

/** Undefined where the remote is on another host. */
function repositoryAt(address: string, { connection, repo }: Tracker): string | undefined {
  const at = addressIn(address);
  // Of a path on disk nothing tells whose it is. The server knows whether it has the branch.
  if (!at) return repo;
  const path = /^[\w.-]+\/[\w.-]+$/.test(at.path) ? at.path : undefined;
  if (at.host.replace(/^ssh\./, "") === connection.apiUrl.hostname.replace(/^api\./, "")) return path;
  // A name of ~/.ssh/config has no dots.
  const isAlias = !at.host.includes(".") && path?.toLowerCase() === repo.toLowerCase();
  return isAlias ? repo : undefined;
}
