import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lock } from "../../files/lock.ts";
import { scratchFolder } from "../../files/scratch.ts";
import { tryGit } from "../../git/git.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { codeOf, messageOf } from "../../util/errors.ts";
import { WorkspaceError } from "../workspace.ts";
import { cloneUrl } from "./clone-url.ts";
import { ownTemporaryFolder } from "./temporary-folder.ts";

interface Source {
  /** As the user wrote it. */
  from: string;
  depth?: number;
  branch?: string;
}

const CLONE_LIMIT_MS = 60 * 60_000;

/** Clones into a folder that is not there or empty, and does nothing where another was quicker. */
export async function clone(folder: string, source: Source, signal: AbortSignal): Promise<void> {
  const url = await cloneUrl(source.from, source.depth !== undefined);
  const name = createHash("sha256").update(folder).digest("hex");
  using _one = await lock(join(await ownTemporaryFolder(), "clones", name), signal);
  if ((await lookAt(folder)) === "full") return;
  // Beside it, and renamed once it is whole: whoever finds the folder finds all of it.
  const scratch = await neighbour(folder);
  try {
    const whole = join(scratch, "clone");
    await fetchInto(whole, url, source, signal);
    await rename(whole, folder).catch((error) => {
      if (!isCode(error, "ENOTEMPTY") && !isCode(error, "EEXIST")) throw cannotMake(folder, error);
    });
  } finally {
    // After an interruption git may still be writing for a moment. What is left does no harm.
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/** What a folder holds that a repository is to be in. */
export async function lookAt(folder: string): Promise<"missing" | "empty" | "full"> {
  try {
    return (await readdir(folder)).length === 0 ? "empty" : "full";
  } catch (error) {
    if (isCode(error, "ENOENT")) return "missing";
    throw new WorkspaceError(
      `working_directory cannot be read: ${messageOf(error)}\nIt has to be a folder that you can read.`,
    );
  }
}

async function fetchInto(folder: string, url: string, { from, depth, branch }: Source, signal: AbortSignal) {
  const options = [
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
  ];
  const args = ["clone", "--quiet", ...options, "--", url, folder];
  const run = await tryGit(dirname(folder), args, { timeoutMs: CLONE_LIMIT_MS, signal });
  signal.throwIfAborted();
  if (run.ok) return;
  throw new WorkspaceError(
    `${withoutCredentials(from)} could not be cloned: ${withoutCredentials(run.said)}\nCheck repo and default_branch in working_directory, and that \`git clone\` works here without asking for anything.`,
  );
}

async function neighbour(folder: string): Promise<string> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    return scratchFolder("cloning", folder);
  } catch (error) {
    throw cannotMake(folder, error);
  }
}

function cannotMake(folder: string, error: unknown): WorkspaceError {
  return new WorkspaceError(
    `${folder} cannot be created: ${messageOf(error)}\nSet working_directory.root to a place where you can write.`,
  );
}

function isCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}
