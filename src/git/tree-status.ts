import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gitFolderOf } from "./folder.ts";
import { git, zeroSeparated } from "./git.ts";
import { hasOnlyPlainFiles } from "./index-file.ts";

/** What a worktree holds that its last commit does not. Paths are relative to it. */
export interface TreeStatus {
  head?: string;
  /** Missing where HEAD is detached. */
  branch?: string;
  /** Something is staged, changed, deleted, or new and not ignored. */
  changed: boolean;
  /** Changed files that git was told to overlook: neither its status nor a checkpoint shows them. */
  overlooked: string[];
  /** Where the index has a submodule, checked out or not. */
  submodules: string[];
  /** Repositories in the tree that are no submodules. Git looks at none of their files. */
  embedded: string[];
}

/** On a cold disk a large tree takes minutes. */
const TIMEOUT_MS = 10 * 60_000;

/** Throws a GitError, also where the folder is in a repository but is not the top of one. */
export async function treeStatus(folder: string): Promise<TreeStatus> {
  const [status, index] = await Promise.all([readStatus(folder), readIndex(folder)]);
  const { submodules, flagged } = index;
  return { ...status, submodules, overlooked: await overlooked(folder, flagged) };
}

async function readStatus(folder: string): Promise<Omit<TreeStatus, "overlooked" | "submodules">> {
  const everything = ["--untracked-files=all", "--ignore-submodules=none", "--no-renames"];
  const form = ["--porcelain=v2", "-z", "--branch", "--no-ahead-behind"];
  const lines = zeroSeparated(await ask(folder, ["status", ...form, ...everything]));
  const said = (key: string) => lines.find((line) => line.startsWith(`# ${key} `))?.slice(key.length + 3);
  const head = said("branch.oid");
  const branch = said("branch.head");
  return {
    ...(head !== undefined && head !== "(initial)" && { head }),
    ...(branch !== undefined && branch !== "(detached)" && { branch }),
    changed: lines.some((line) => !line.startsWith("# ")),
    // All untracked files are listed one by one, so a folder is one that git does not enter.
    embedded: lines
      .filter((line) => line.startsWith("? ") && line.endsWith("/"))
      .map((line) => line.slice(2, -1)),
  };
}

interface Flagged {
  path: string;
  object: string;
}

/** Lines of the index: `H 100644 <object> 0\t<path>`. */
async function readIndex(folder: string): Promise<{ submodules: string[]; flagged: Flagged[] }> {
  const submodules: string[] = [];
  const flagged: Flagged[] = [];
  const gitDir = await gitFolderOf(folder);
  const isPlain = gitDir !== undefined && (await hasOnlyPlainFiles(join(gitDir, "index")));
  if (isPlain) return { submodules, flagged };
  for (const line of zeroSeparated(await ask(folder, ["ls-files", "--stage", "-v", "-z"]))) {
    // A small letter: assumed to be unchanged. S: not to be checked out.
    const tag = line.charAt(0);
    if (tag === "H" && !line.startsWith("160000", 2)) continue;
    const tab = line.indexOf("\t");
    const path = line.slice(tab + 1);
    const [, mode, object = ""] = line.slice(0, tab).split(" ");
    if (mode === "160000") submodules.push(path);
    else if (tag === "S" || tag === tag.toLowerCase()) flagged.push({ path, object });
  }
  return { submodules, flagged };
}

async function overlooked(folder: string, flagged: Flagged[]): Promise<string[]> {
  const looks = flagged.map((file) => lstat(join(folder, file.path)).catch(() => undefined));
  const found = await Promise.all(looks);
  const there = flagged.filter((_, index) => found[index]?.isFile());
  if (there.length === 0) return [];
  const input = there.map(({ path }) => `${JSON.stringify(path)}\n`).join("");
  const objects = (await ask(folder, ["hash-object", "--stdin-paths"], input)).split("\n");
  return there.filter(({ object }, index) => objects[index] !== object).map(({ path }) => path);
}

/** Takes no locks, and never answers for a repository around the folder. */
function ask(folder: string, args: string[], input?: string): Promise<string> {
  const env = { GIT_CEILING_DIRECTORIES: dirname(folder) };
  const options = { env, timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) };
  return git(folder, ["--no-optional-locks", ...args], options);
}
