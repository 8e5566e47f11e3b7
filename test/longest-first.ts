import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In a fresh clone nobody has measured yet. What takes long begins first, or the other cores would wait for it at the end. */
const LONGEST = [
  "package",
  "crash-moments",
  "agent-contract",
  "worktree-killed-teardown",
  "own-relay",
  "own-install",
  "worktree-agent",
  "terminal-contract",
  "hooks-examples",
  "own-cycle",
  "sessions-persistent",
  "chat-handoff",
  "own-watch",
  "worktree-killed-setup",
  "claude-code",
  "worktree-ending",
  "account-checks",
  "relay-api",
  "removal-killed",
  "own-hooks",
  "worktree-many",
  "crash-store",
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
