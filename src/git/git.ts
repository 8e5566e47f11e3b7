import { type Run, run } from "../processes/run.ts";

export interface GitOptions {
  env?: Record<string, string>;
  /** Run the repository's hooks, or those of a folder. Without it none runs. */
  hooks?: boolean | string;
  /** Written to its standard input. */
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export class GitError extends Error {
  override readonly name = "GitError";
  readonly run: Run;
  /** Of the system, where git says that it was a full or read-only disk. */
  readonly code: string | undefined;

  constructor(folder: string, args: readonly string[], run: Run) {
    const how = run.code === null ? "did not finish" : `failed (exit ${run.code})`;
    super(`git ${args.join(" ")} ${how} in ${folder}${run.said ? `: ${run.said}` : ""}`);
    this.run = run;
    this.code = Object.entries(SAID_OF_DISKS).find(([, words]) => run.said.includes(words))?.[0];
  }
}

/** Git has no other way to say it. Its language is set. */
const SAID_OF_DISKS = {
  ENOSPC: "No space left on device",
  EDQUOT: "Disk quota exceeded",
  EROFS: "Read-only file system",
};

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
  const { env, hooks = false, ...rest } = options;
  const bare = openedBare.has(folder) && { GIT_DIR: folder };
  return run("git", ["-C", folder, ...args], {
    ...rest,
    env: guarded({ ...ownEnvironment(), ...bare, ...env }, hooks),
  });
}

/**
 * Settings that stand over whatever a repository's own configuration says, so that to look at a repository runs nothing
 * that came with it. A bare repository may lie in any checkout as plain files: git finds none by itself.
 *
 * What is left to the repository's configuration is what its users' own global settings share a key with, and git cannot
 * be told to read the one without the other: credential helpers, filters (LFS), signing, merge
 * drivers, upload-pack. Those run where somebody ships a whole `.git`, and git itself has no guard against that either.
 */
const GUARDS = {
  "safe.bareRepository": "explicit",
  "core.fsmonitor": "false",
  "log.showSignature": "false",
  "protocol.ext.allow": "never",
  "core.alternateRefsCommand": "true",
};

/** For every diff: by git itself, without the programs that a repository names for its files. */
export const OWN_DIFF = ["--no-ext-diff", "--no-textconv"];

/** Added after what the user's environment configures, and passed on to the programs of git itself. */
function guarded(env: NodeJS.ProcessEnv, hooks: boolean | string): NodeJS.ProcessEnv {
  const hooksPath = hooks === true ? {} : { "core.hooksPath": hooks || "/dev/null" };
  const settings = Object.entries({ ...GUARDS, ...hooksPath });
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${before + index}`, key],
    [`GIT_CONFIG_VALUE_${before + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(before + settings.length) };
}

/** Bare repositories that the user's configuration names as the place to work in. */
const openedBare = new Set<string>();

/** From now on git works in this folder as the bare repository that it is. */
export function openBare(folder: string): void {
  openedBare.add(folder);
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
    // Nobody types anything, and a repository's configuration could name the program to type it into.
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
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
