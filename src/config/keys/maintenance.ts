import { MINUTE_MS } from "../../util/time.ts";
import { DEFAULTS } from "../defaults.ts";
import { key, section, type ValueOf } from "../reader/reader.ts";
import { duration, flag, wholeNumber } from "../reader/values.ts";

const worktreeCleanup = section(
  {
    enabled: key(flag, "remove worktrees that no job needs anymore", DEFAULTS.worktree_cleanup.enabled),
    interval: key(duration(MINUTE_MS, "6h"), "how often to look", DEFAULTS.worktree_cleanup.interval),
    max_worktree_age: key(
      duration(0, "7d", Infinity),
      "how long to keep the worktree of a job that ended, paused or was interrupted; a checkpoint has what was in it",
      DEFAULTS.worktree_cleanup.max_worktree_age,
    ),
    max_checkpoint_age: key(
      duration(0, "30d", Infinity),
      "how long to keep the checkpoints of a completed job if the remote has all of their files; others are kept forever",
      DEFAULTS.worktree_cleanup.max_checkpoint_age,
    ),
    cleanup_on_startup: key(
      flag,
      "also look when a job starts",
      DEFAULTS.worktree_cleanup.cleanup_on_startup,
    ),
    prune_unmerged_branches: key(
      flag,
      "also delete branches with unmerged work, which a checkpoint keeps",
      DEFAULTS.worktree_cleanup.prune_unmerged_branches,
    ),
  },
  "{ interval: 6h }",
);

const sessionCleanup = section(
  {
    enabled: key(flag, "forget sessions that can no longer be continued", DEFAULTS.session_cleanup.enabled),
    interval: key(duration(MINUTE_MS, "1h"), "how often to look", DEFAULTS.session_cleanup.interval),
  },
  "{ interval: 1h }",
);

const jobCleanup = section(
  {
    max_age: key(
      duration(0, "90d", Infinity),
      "compact the journals of jobs that ended longer ago; never unless this is set",
    ),
    keep: key(
      wholeNumber(0, 100),
      "how many of the newest jobs are never compacted",
      DEFAULTS.job_cleanup.keep,
    ),
  },
  "{ max_age: 90d }",
);

export const maintenance = section(
  {
    worktree_cleanup: key(worktreeCleanup, "cleanup of worktrees"),
    session_cleanup: key(sessionCleanup, "cleanup of sessions"),
    job_cleanup: key(jobCleanup, "compaction of old journals"),
  },
  "{ worktree_cleanup: { interval: 6h } }",
);

export type MaintenanceLayer = ValueOf<typeof maintenance>;
