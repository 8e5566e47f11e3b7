import { askGit, OWN_DIFF } from "./git.ts";
import { revParse } from "./rev-parse.ts";

/** Where a workspace stands in its history, as far as it has one. */
interface GitHead {
  branch?: string;
  head?: string;
}

/** How a workspace stands in git at one moment. */
export interface GitState extends GitHead {
  /** Where the workspace is in its repository, as `app/`, unless it is the top of it. */
  prefix?: string;
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
  const { isInside: _, prefix: __, ...head } = await standing(folder);
  return head;
}

/** Undefined outside a repository. */
export async function gitState(folder: string, base?: string): Promise<GitState | undefined> {
  const { isInside, ...at } = await standing(folder);
  if (!isInside) return undefined;
  const hasCommits = base !== undefined && base !== at.head;
  const [status, log, diff] = await Promise.all([
    askGit(folder, ["-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"]),
    hasCommits ? askGit(folder, ["log", "--oneline", "--no-decorate", "-100", `${base}..HEAD`]) : undefined,
    base
      ? askGit(folder, ["-c", "core.quotePath=false", "diff", ...OWN_DIFF, "--raw", "--shortstat", base])
      : undefined,
  ]);
  const changed = lines(diff).filter((line) => line.startsWith(":"));
  const diffstat = lines(diff)
    .find((line) => !line.startsWith(":"))
    ?.trim();
  return {
    ...at,
    ...(diffstat && { diffstat }),
    ...(changed.length > 0 && { changedSinceBase: changed.map(nameAndStatus) }),
    changes: lines(status),
    commits: lines(log),
  };
}

async function standing(folder: string): Promise<GitHead & { isInside: boolean; prefix?: string }> {
  const { run, answers } = await revParse(folder, [
    ["--is-inside-work-tree"],
    ["--show-prefix"],
    ["HEAD"],
    ["--symbolic-full-name", "HEAD"],
  ]);
  const [inside, within, head = "", ref = ""] = answers;
  const isInside = inside === "true";
  const prefix = within ? { prefix: within } : {};
  if (run.ok) {
    const branch = ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : undefined;
    return { isInside, head, ...prefix, ...(branch && { branch }) };
  }
  // Before its first commit a branch has a name and no HEAD.
  const branch = await askGit(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return { isInside, ...prefix, ...(branch && { branch }) };
}

const BRANCHES = "refs/heads/";

/** Of `:100644 100644 e69de29 0000000 M\tpath` what `--name-status` would say. */
function nameAndStatus(line: string): string {
  return line.split(" ").slice(4).join(" ");
}

function lines(text: string | undefined): string[] {
  return (text ?? "").split("\n").filter((line) => line.trim() !== "");
}
