import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In a fresh clone nobody has measured yet. What takes long begins first, or the other cores would wait for it at the end. */
const LONGEST = [
  "package",
  "agent-contract",
  "crash-moments",
  "worktree-killed-teardown",
  "own-relay",
  "own-install",
  "terminal-contract",
  "removal-killed",
  "hooks-examples",
  "own-watch",
  "worktree-killed-failed",
  "worktree-killed-events",
  "claude-code",
  "own-hooks",
  "worktree-killed-checkout",
  "mcp-claude",
  "worktree-agent",
  "crash-store",
  "worktree-many",
  "own-cycle",
  "worktree-ending",
  "setup",
  "worktree-killed-setup",
  "sessions-persistent",
  "mcp-documents",
  "own-crash",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}
