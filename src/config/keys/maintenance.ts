import { MINUTE_MS } from "../../util/time.ts";
import { key, section, type ValueOf } from "../reader/reader.ts";
import { duration, flag } from "../reader/values.ts";

const worktreeCleanup = section(
  {
    enabled: key(flag, "remove worktrees that no job needs any more", true),
    interval: key(duration(MINUTE_MS, "6h"), "how often to look", "6h"),
    max_worktree_age: key(
      duration(0, "7d", "compared"),
      "how old the kept worktree of a finished job may get",
      "7d",
    ),
    cleanup_on_startup: key(flag, "look right away when a job starts", true),
    prune_unmerged_branches: key(
      flag,
      "delete branches with unmerged work too; a checkpoint keeps it",
      false,
    ),
  },
  "{ interval: 6h }",
);

const sessionCleanup = section(
  {
    enabled: key(flag, "forget sessions that can no longer be continued", true),
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
