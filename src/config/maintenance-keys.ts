import { key, section, type ValueOf } from "./read.ts";
import { duration, flag } from "./values.ts";

const MINUTE_MS = 60_000;

const worktreeCleanup = section(
  {
    enabled: key(flag, "remove worktrees that no job needs any more", true),
    interval: key(duration(MINUTE_MS, "6h"), "how often to look", "6h"),
    max_worktree_age: key(
      duration(0, "7d", "compared"),
      "how long a worktree that was kept for you stays",
      "7d",
    ),
    cleanup_on_startup: key(flag, "look at once when a worker starts", true),
    prune_unmerged_branches: key(flag, "delete branches too that were never merged", false),
  },
  "{ interval: 6h }",
);

const sessionCleanup = section(
  {
    enabled: key(flag, "forget sessions that can no longer be gone on with", true),
    interval: key(duration(MINUTE_MS, "1h"), "how often to look", "1h"),
  },
  "{ interval: 1h }",
);

export const maintenance = section(
  {
    worktree_cleanup: key(worktreeCleanup, "of worktrees"),
    session_cleanup: key(sessionCleanup, "of sessions"),
  },
  "{ worktree_cleanup: { interval: 6h } }",
);

export type MaintenanceLayer = ValueOf<typeof maintenance>;
