import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { exists } from "../files/exists.ts";
import { readRegular } from "../files/inside.ts";
import { recordText, recordWorktreeFolder } from "../files/made-here.ts";
import { isAppendixName } from "../handoff/appendix/appendix.ts";
import { HANDOFF_LIMITS } from "../handoff/limits.ts";
import { ForeignStateError, foreignState } from "./foreign-state.ts";
import { configOf, hasStore, type Project, storePath } from "./project.ts";

/** What became this machine's own. */
export interface Adopted {
  store?: string;
  documents: number;
}

/**
 * Makes the state of a project this machine's own: for a project that was moved, or was an earlier Baton's. The user has
 * to ask for it. What git tracks, what belongs to others and what lies behind a link cannot become one's own.
 */
export async function adoptState(project: Project): Promise<Adopted> {
  const path = storePath(project.root);
  const foreign = await foreignState(path);
  if (foreign.some(({ why }) => why !== "unknown")) throw new ForeignStateError(path, foreign);
  const { agents } = await configOf(project);
  let documents = 0;
  for (const dir of new Set(agents.map(({ handoff }) => handoff.dir))) documents += await adoptDocuments(dir);
  for (const { workspace } of agents) {
    if (await exists(workspace.worktreeDir)) await recordWorktreeFolder(workspace.worktreeDir);
  }
  if (foreign.length === 0 || !hasStore(project)) return { documents };
  const { adoptStore } = await import("../store/sqlite/identity.ts");
  await adoptStore(path);
  return { store: path, documents };
}

async function adoptDocuments(dir: string): Promise<number> {
  const folders = [dir, join(dir, "archive")];
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const paths = folders.flatMap((folder, index) => (names[index] ?? []).map((name) => join(folder, name)));
  const beside = paths.filter((path) => isAppendixName(basename(path)));
  await adoptTexts(beside, HANDOFF_LIMITS.appendixBytes);
  const documents = paths.filter((path) => /\/handoff-[^/]*\.md$/.test(path));
  return adoptTexts(documents, HANDOFF_LIMITS.documentBytes);
}

async function adoptTexts(paths: readonly string[], mostBytes: number): Promise<number> {
  const texts = await Promise.all(
    paths.map((path) => readRegular(path, { mostBytes }).catch(() => undefined)),
  );
  const found = texts.filter((text) => text !== undefined);
  await Promise.all(found.map((text) => recordText(text)));
  return found.length;
}
