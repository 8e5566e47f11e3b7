import type { GitHubSource, Pace } from "../src/sources/github/github.ts";
import { openGitHub } from "../src/sources/github/open.ts";
import type { Item } from "../src/sources/source.ts";
import { type GitHubOptions, startGitHub } from "./github-server.ts";

export const LABELS = { ready: "ready", inProgress: "agent-working", failed: "failed" };

/** A repository with people in it, and a source that asks for it as one of them: as `robot`. */
export async function startSource(options: GitHubOptions & { pace?: Pace } = {}) {
  const github = await startGitHub(options);
  const repo = github.repo("acme/app", {
    collaborators: { alice: "write", tom: "triage", rita: "read", robot: "write" },
  });
  const token = github.accounts.token("robot");
  /** Another process would have the same. */
  const sourceWith = (changed: { token?: string; apiUrl?: string; repo?: string } = {}) =>
    openGitHub(
      {
        repo: changed.repo ?? "acme/app",
        apiUrl: changed.apiUrl ?? github.url,
        labels: LABELS,
        auth: { kind: "token", env: "GITHUB_TOKEN" },
      },
      { GITHUB_TOKEN: changed.token ?? token },
      { sleep: async () => {}, ...options.pace },
    );
  /** What all requests so far took of the limit. */
  const spent = () => github.requests.reduce((sum, { cost }) => sum + cost, 0);
  return { github, repo, source: sourceWith(), sourceWith, spent, [Symbol.asyncDispose]: github.close };
}

export async function itemsOf(source: GitHubSource): Promise<Item[]> {
  const poll = await source.poll(new AbortController().signal);
  return poll.kind === "items" ? poll.items : [];
}
