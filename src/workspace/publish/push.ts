import { delimiter, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { WorkspaceConfig } from "../../config/config.ts";
import { environmentForGit, type GitOptions, tryGit } from "../../git/git.ts";
import { addressesOf, placeToPush } from "../../git/remote-addresses.ts";
import { readRemoteRef } from "../../git/remote-ref.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { hooksFor } from "./push-hooks.ts";

export interface Push {
  /** Where the repository's hooks run. */
  folder: string;
  /** The main checkout: what a relative address of the remote is relative to. */
  root: string;
  remote: string;
  commit: string;
  branch: string;
  /** The agent's: its credentials, and what the repository's hooks expect. */
  env?: Record<string, string>;
  /** Run the repository's own pre-push hook. That of Git LFS runs without it: it uploads the files. */
  hooks?: boolean;
  /** For what the server does beyond taking the commit. One that knows no such options gets the push without them. */
  options?: readonly string[];
  signal?: AbortSignal;
}

/**
 * `rejected`: the branch there has commits that ours has not. `refused`: a hook or a rule said no. `unreachable`: there
 * was no talking to the remote. `not-there`: it took the push, and has another commit, or none.
 */
type PushResult =
  | { ok: true; said: string }
  | { ok: false; reason: "rejected" | "refused" | "unreachable" | "not-there"; said: string };

interface Patience {
  report: (message: string) => void;
  sleep?: (ms: number) => Promise<unknown>;
}

const PUSH_LIMIT_MS = 30 * 60_000;
const BACKOFF_MS = [1_000, 4_000, 15_000];

/** Pushes, and tries again where the policy says so and another try can do better. */
export async function pushWithRetries(
  push: Push,
  policy: WorkspaceConfig["onPushFailure"],
  { report, sleep = (ms) => wait(ms, undefined, { ...(push.signal && { signal: push.signal }) }) }: Patience,
): Promise<PushResult> {
  let result = await pushBranch(push);
  for (const delay of policy === "retry" ? BACKOFF_MS : []) {
    if (result.ok || result.reason === "rejected" || result.reason === "refused") return result;
    report(`${push.branch} could not be pushed, next try in ${delay / 1_000} s: ${result.said}`);
    await sleep(delay).catch(() => {});
    if (push.signal?.aborted) return result;
    result = await pushBranch(push);
  }
  return result;
}

/** Puts one commit on one branch of the remote and reads back whether it is there. Writes no configuration. */
export async function pushBranch(push: Push): Promise<PushResult> {
  const result = await pushOnce(push, push.options ?? []);
  if (result.ok || result.reason === "rejected" || !push.options?.length || push.signal?.aborted)
    return result;
  return pushOnce(push, []);
}

async function pushOnce(push: Push, options: readonly string[]): Promise<PushResult> {
  const { folder, remote, commit, branch } = push;
  const to = `refs/heads/${branch}`;
  const flags = ["--porcelain", "--no-follow-tags", ...options.map((option) => `--push-option=${option}`)];
  const addresses = await addressesOf(push);
  await using hooks = await hooksFor(push);
  const run = await tryGit(
    folder,
    [...absolute(push, addresses.write), "push", ...flags, "--", remote, `${commit}:${to}`],
    {
      timeoutMs: PUSH_LIMIT_MS,
      hooks: hooks.path,
      ...optionsOf(push),
    },
  );
  const said = withoutCredentials(withoutHints(run.said));
  const failure = run.ok ? undefined : failureIn(run.stdout, to, run.code);
  if (failure) return { ok: false, reason: failure.reason, said: joined(failure.summary, said) };
  // Also where this one was broken off: the remote may have taken it before.
  const there = await readRemoteRef(
    push.root,
    placeToPush(push.remote, addresses),
    branch,
    unstoppable(push),
  );
  if (there.kind === "read" && there.commit === commit) return { ok: true, said };
  if (!run.ok) return { ok: false, reason: "unreachable", said };
  if (there.kind === "unreachable") {
    const why = withoutCredentials(there.said);
    return { ok: false, reason: "unreachable", said: `It could not be read back: ${why}` };
  }
  const found = there.commit === undefined ? "has no such branch" : `has ${there.commit} there`;
  return { ok: false, reason: "not-there", said: `${remote} took ${commit} for ${branch}, but ${found}.` };
}

/**
 * Whether the remote has the commit, or had it: others may have continued from it, or merged it and deleted the branch. For a push
 * that was begun and of which nobody knows how it went.
 */
export async function isOnRemote(push: Push, baseBranch: string): Promise<boolean> {
  const { root, commit, branch } = push;
  const place = placeToPush(push.remote, await addressesOf(push));
  const there = await readRemoteRef(root, place, branch, unstoppable(push));
  if (there.kind === "unreachable") return false;
  if (there.commit === commit) return true;
  const ref = `refs/heads/${there.commit === undefined ? baseBranch : branch}`;
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", place, ref];
  if (!(await tryGit(root, fetch, { timeoutMs: PUSH_LIMIT_MS, ...unstoppable(push) })).ok) return false;
  const now = await readRemoteRef(root, place, ref.slice("refs/heads/".length), unstoppable(push));
  if (now.kind === "unreachable" || now.commit === undefined) return false;
  return (await tryGit(root, ["merge-base", "--is-ancestor", commit, now.commit])).ok;
}

/** A question that is answered even while the job is being ended: the answer decides what is said of it. */
function unstoppable(push: Push): GitOptions {
  const { signal: _, ...options } = optionsOf(push);
  return options;
}

function optionsOf({ env, signal }: Push): GitOptions {
  return { ...(env && { env: withGit(environmentForGit(env)) }), ...(signal && { signal }) };
}

/** Git itself is found where Baton finds it, also where the agent's own path has none. */
function withGit(env: Record<string, string>): Record<string, string> {
  return { ...env, PATH: [env.PATH, process.env.PATH].filter(Boolean).join(delimiter) };
}

/** Git takes a relative address as relative to the folder that it runs in, which is not where the user wrote it. */
function absolute({ root, remote }: Push, address: string | undefined): string[] {
  if (address === undefined || !/^\.\.?(?:\/|$)/.test(address)) return [];
  return ["-c", `remote.${remote}.pushurl=${resolve(root, address)}`];
}

/** What `git push --porcelain` says of the ref; without a word on it, exit code 1 is the repository's own hook. */
function failureIn(porcelain: string, to: string, code: number | null) {
  const line = porcelain
    .split("\n")
    .find((each) => each.startsWith("!\t") && each.split("\t")[1]?.endsWith(`:${to}`));
  const summary = line?.split("\t")[2] ?? "";
  if (summary.startsWith("[rejected]")) return { reason: "rejected" as const, summary };
  const isRefused = summary.startsWith("[remote rejected]") || (summary === "" && code === 1);
  return isRefused ? { reason: "refused" as const, summary } : undefined;
}

const withoutHints = (said: string) => said.replace(/^hint:.*\n?/gm, "").trim();

const joined = (...parts: string[]) => parts.filter(Boolean).join("\n");
