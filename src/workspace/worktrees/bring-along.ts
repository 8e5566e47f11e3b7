import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { inUnits } from "../../files/bounded-file.ts";
import { tryGit, zeroSeparated } from "../../git/git.ts";
import { messageOf } from "../../util/errors.ts";
import { WorkspaceError } from "../workspace.ts";
import { copyInto, staysWithin } from "./copy-into.ts";

const LIST = ".worktreeinclude";
const LIST_BYTES = 64 * 1024;

/**
 * Copies what `.worktreeinclude` names into a new worktree, and returns the paths. Only what git ignores, in the checkout
 * and in the worktree as well: a tracked file is there already, and a secret must not end up in a commit.
 */
export async function bringAlong(from: string, to: string, leaveOut: string[]): Promise<string[]> {
  const list = await lstat(join(from, LIST)).catch(() => undefined);
  if (!list?.isFile()) return [];
  if (list.size > LIST_BYTES) {
    throw new WorkspaceError(
      `${join(from, LIST)} is larger than ${inUnits(LIST_BYTES)}. Name folders in place of the files in them.`,
    );
  }
  const [source, ...spared] = await Promise.all([from, to, ...leaveOut].map(real));
  const within: string[] = [];
  for (const path of await namedAndIgnored(from)) if (await staysWithin(to, path)) within.push(path);
  const taken: string[] = [];
  for (const path of await ignored(to, within)) {
    if (await brought({ from: source ?? from, to, spared }, path)) taken.push(path.replace(/\/$/, ""));
  }
  return taken;
}

async function brought(way: Parameters<typeof copyInto>[0], path: string): Promise<boolean> {
  try {
    return await copyInto(way, path);
  } catch (error) {
    throw new WorkspaceError(
      `${join(way.from, path)} could not be brought along: ${messageOf(error)}\nFix that, or remove it from ${LIST}.`,
    );
  }
}

/** What the list of a checkout names there. Paths from the top; those of folders end in a slash. */
export async function namedAndIgnored(from: string): Promise<string[]> {
  const list = await lstat(join(from, LIST)).catch(() => undefined);
  if (!list?.isFile()) return [];
  const named = await untracked(from, ["--directory"]);
  const whole = new Set(await ignored(from, named));
  // Of a folder that git does not ignore, it may still ignore some.
  const partly = named.filter((path) => path.endsWith("/") && !whole.has(path));
  const parts = partly.length > 0 ? await untracked(from, ["--", ...partly]) : [];
  return [...new Set([...whole, ...(await ignored(from, parts))])];
}

/** What the list names, as git reads such lists. */
async function untracked(from: string, args: string[]): Promise<string[]> {
  const others = ["ls-files", "--others", "--ignored", `--exclude-from=${join(from, LIST)}`, "-z"];
  const run = await tryGit(from, ["--no-optional-locks", "--literal-pathspecs", ...others, ...args]);
  if (run.ok) return zeroSeparated(run.stdout);
  throw new WorkspaceError(`What ${LIST} names could not be found in ${from}: ${run.said}`);
}

const NONE_IGNORED = 1;

export async function ignored(folder: string, paths: string[]): Promise<string[]> {
  // `./` keeps a name such as `:(top)x` from being read as more than a name.
  const input = paths.map((path) => `./${path}\0`).join("");
  const run = await tryGit(folder, ["check-ignore", "--no-index", "--stdin", "-z"], { input });
  if (run.ok || run.code === NONE_IGNORED) return zeroSeparated(run.stdout).map((path) => path.slice(2));
  throw new WorkspaceError(`git could not tell what is ignored in ${folder}: ${run.said}`);
}

function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
