import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentConfig } from "../../config/config.ts";
import { draftsLeft, foldersLeft } from "../../files/scratch.ts";
import { stateFolder } from "../../files/state-folder.ts";

/** Of an agent: where its jobs write. */
type Writes = Pick<AgentConfig, "workingDirectory" | "handoff">;

/** What processes that were killed had made for themselves alone: temporary folders, and drafts of files. Nothing else. */
export function scratchLeft(agents: readonly Writes[]): string[] {
  const found = [
    ...foldersLeft(tmpdir()),
    ...draftsLeft(stateFolder(), { below: true }),
    ...agents.flatMap(({ workingDirectory, handoff }) => [
      ...foldersLeft(dirname(workingDirectory), basename(workingDirectory)),
      ...foldersOf(workingDirectory, handoff).flatMap((folder) => draftsLeft(folder)),
    ]),
  ];
  return [...new Set(found)];
}

/** Removes it, and says what. What cannot go now is found again the next time. */
export function removeScratch(agents: readonly Writes[]): string[] {
  return scratchLeft(agents).filter((path) => {
    try {
      rmSync(path, { recursive: true, maxRetries: 2 });
      return true;
    } catch {
      return false;
    }
  });
}

function foldersOf(root: string, { dir, livingDocument }: AgentConfig["handoff"]): string[] {
  if (!livingDocument) return [dir];
  const { path, archiveDir } = livingDocument;
  return [dir, join(root, dirname(path)), join(root, archiveDir)];
}
