import { askGit } from "./git.ts";

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
    askGit(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    askGit(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]),
  ]);
  return { ...(branch && { branch }), ...(head && { head }) };
}

/** Undefined outside a repository. */
export async function gitState(folder: string, base?: string): Promise<GitState | undefined> {
  const inside = await askGit(folder, ["rev-parse", "--is-inside-work-tree"]);
  if (inside !== "true") return undefined;
  const [head, status, log, diffstat, names] = await Promise.all([
    gitHead(folder),
    askGit(folder, ["-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"]),
    base ? askGit(folder, ["log", "--oneline", "--no-decorate", "-100", `${base}..HEAD`]) : undefined,
    base ? askGit(folder, ["diff", "--shortstat", base]) : undefined,
    base ? askGit(folder, ["-c", "core.quotePath=false", "diff", "--name-status", base]) : undefined,
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
