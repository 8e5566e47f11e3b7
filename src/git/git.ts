import { type Run, run } from "../processes/run.ts";

export interface GitOptions {
  env?: Record<string, string>;
  /** Written to its standard input. */
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export class GitError extends Error {
  override readonly name = "GitError";
  readonly run: Run;

  constructor(folder: string, args: readonly string[], run: Run) {
    const how = run.code === null ? "did not finish" : `failed (exit ${run.code})`;
    super(`git ${args.join(" ")} ${how} in ${folder}${run.said ? `: ${run.said}` : ""}`);
    this.run = run;
  }
}

/** For commits that hold something and are nobody's work. */
export const AS_BATON = {
  GIT_AUTHOR_NAME: "Baton",
  GIT_AUTHOR_EMAIL: "baton@localhost",
  GIT_COMMITTER_NAME: "Baton",
  GIT_COMMITTER_EMAIL: "baton@localhost",
};

/**
 * Runs git in a folder and says how that went. Nobody can answer a question, so git asks none; and where Baton itself
 * was started by git, in a hook say, its repository is not ours.
 */
export function tryGit(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Run> {
  const { env, ...rest } = options;
  return run("git", ["-C", folder, ...args], { ...rest, env: { ...ownEnvironment(), ...env } });
}

/** What git prints, without the space around it. Throws a GitError. */
export async function git(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
  const run = await tryGit(folder, args, options);
  if (!run.ok) throw new GitError(folder, args, run);
  return run.stdout.trim();
}

/** What git prints about a state, read without taking locks, so that the agent's own git never meets ours. */
export async function askGit(folder: string, args: readonly string[], env?: Record<string, string>) {
  const run = await tryGit(folder, ["--no-optional-locks", ...args], { ...(env && { env }) });
  return run.ok ? run.stdout.trimEnd() : undefined;
}

/** Lines of `-z` output. */
export function zeroSeparated(output: string): string[] {
  return output.split("\0").filter((part) => part !== "");
}

/** An environment as it was given for other programs, less what would point git to another repository. */
export function environmentForGit<Env extends NodeJS.ProcessEnv>(given: Env): Env {
  const env = { ...given };
  for (const name of OF_ANOTHER_REPOSITORY) delete env[name];
  return env;
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const env = environmentForGit(process.env);
  return {
    ...env,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND ?? "ssh -oBatchMode=yes",
  };
}

/** As `git rev-parse --local-env-vars` lists them, less what carries configuration on purpose. */
const OF_ANOTHER_REPOSITORY = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_OBJECT_DIRECTORY",
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_GRAFT_FILE",
  "GIT_INDEX_FILE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_REPLACE_REF_BASE",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_COMMON_DIR",
];
