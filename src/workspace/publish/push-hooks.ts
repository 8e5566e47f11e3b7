import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "../../files/scratch.ts";
import { gitFolderOf } from "../../git/folder.ts";

interface Hooks extends AsyncDisposable {
  /** As git is told: all of the repository's, none, or those of a folder. */
  path: boolean | string;
}

const NONE = { path: false, [Symbol.asyncDispose]: async () => {} };
const OF_LFS = '#!/bin/sh\ngit lfs pre-push "$@"\n';
const LONGEST_HOOK = 10_000;

/**
 * A hook may run what the agent has edited, so it only runs where the user allows it. Without that of Git LFS the remote
 * would get names of files and not the files: where the repository has it, one of our own calls the same program.
 */
export async function hooksFor({ root, hooks = false }: { root: string; hooks?: boolean }): Promise<Hooks> {
  if (hooks) return { ...NONE, path: true };
  const gitDir = (await gitFolderOf(root).catch(() => undefined)) ?? root;
  const theirs = await readFile(join(gitDir, "hooks", "pre-push"), "utf8").catch(() => "");
  if (theirs.length > LONGEST_HOOK || !/^\s*git lfs pre-push\b/m.test(theirs)) return NONE;
  const folder = scratchFolder("hooks");
  await writeFile(join(folder, "pre-push"), OF_LFS, { mode: 0o700 });
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
