import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../files/exists.ts";
import { readRegular } from "../files/inside.ts";
import { recordText, recordWorktreeFolder } from "../files/made-here.ts";
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
  const texts = await Promise.all(
    paths
      .filter((path) => /\/handoff-[^/]*\.md$/.test(path))
      .map((path) => readRegular(path, { mostBytes: HANDOFF_LIMITS.documentBytes }).catch(() => undefined)),
  );
  const found = texts.filter((text) => text !== undefined);
  await Promise.all(found.map((text) => recordText(text)));
  return found.length;
}
