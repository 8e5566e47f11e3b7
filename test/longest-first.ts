import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * In a fresh clone nobody has measured yet. What takes long begins first, or the other cores would wait for it at the end:
 * files whose programs compute, in turn with files that mostly wait.
 */
const LONGEST = [
  "agent-contract",
  "own-relay",
  "acp",
  "fleet-limits",
  "crash-moments",
  "own-watch",
  "switch",
  "worktree-killed-teardown",
  "acp-gemini",
  "package",
  "own-crash",
  "acp-opencode",
  "work",
  "own-hooks",
  "box",
  "slack-killed",
  "pi",
  "own-cycle",
  "dashboard-keys",
  "terminal-contract",
  "dashboard-pages",
  "own-install",
  "fleet",
  "worktree-push",
  "attacks/box",
  "hooks-examples",
  "box-runtimes",
  "chat-talk",
  "codex-jobs",
  "watchdog",
  "fleet-claude",
  "crash-store",
  "asks-claude",
  "worktree-branches",
  "worktree-ending",
  "worktree-names",
  "killed",
  "removal-killed",
  "migrations-killed",
  "worktree-killed-checkout",
  "fleet-queue",
  "relay-window",
  "mcp-handoff",
  "codex",
  "own-typing",
  "steer",
  "own-watch-pane",
  "worktree-killed-failed",
  "asks",
  "worktree-safety",
  "worktree-killed-events",
  "worktree-agent",
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
