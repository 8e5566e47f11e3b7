import { execFile } from "node:child_process";

/** Where a workspace stands in its history, as far as it has one. */
interface GitHead {
  branch?: string;
  head?: string;
}

/** How a workspace stands in git at one moment. */
export interface GitState extends GitHead {
  /** `git status --porcelain` lines, paths relative to the repository's root. */
  changes: string[];
  /** What changed against the commit that the job began from, in git's words. */
  diffstat?: string;
  /** `git diff --name-status` lines against that commit: also what commands changed and then committed. */
  changedSinceBase?: string[];
  /** Commits on this branch since `base`, newest first, one line each. */
  commits: string[];
}

export async function gitHead(folder: string): Promise<GitHead> {
  const [branch, head] = await Promise.all([
    git(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]),
  ]);
  return { ...(branch && { branch: branch.trim() }), ...(head && { head: head.trim() }) };
}

/** Reads the state without taking locks, so that the agent's own git never meets ours. Undefined outside a repository. */
export async function gitState(folder: string, base?: string): Promise<GitState | undefined> {
  const inside = await git(folder, ["rev-parse", "--is-inside-work-tree"]);
  if (inside?.trim() !== "true") return undefined;
  const [head, status, log, diffstat, names] = await Promise.all([
    gitHead(folder),
    git(folder, ["-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"]),
    base ? git(folder, ["log", "--oneline", "--no-decorate", "-100", `${base}..HEAD`]) : undefined,
    base ? git(folder, ["diff", "--shortstat", base]) : undefined,
    base ? git(folder, ["-c", "core.quotePath=false", "diff", "--name-status", base]) : undefined,
  ]);
  return {
    ...head,
    ...(diffstat?.trim() && { diffstat: diffstat.trim() }),
    ...(names?.trim() && { changedSinceBase: lines(names) }),
    changes: lines(status),
    commits: lines(log),
  };
}

function lines(text: string | undefined): string[] {
  return (text ?? "").split("\n").filter((line) => line.trim() !== "");
}

/** The output, or undefined when git is missing, refuses, or takes longer than any of these questions should. */
function git(folder: string, args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      "git",
      ["--no-optional-locks", "-C", folder, ...args],
      { maxBuffer: 64 * 1024 * 1024, timeout: 20_000, env: { ...process.env, LC_ALL: "C" } },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
  });
}
