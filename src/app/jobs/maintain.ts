import type { MaintenanceConfig } from "../../config/config.ts";
import { maintain } from "../../jobs/end/maintenance.ts";
import type { Store } from "../../store/store.ts";
import { type WorktreeView, worktreeView } from "./worktrees.ts";

export interface Maintained {
  /** What jobs left, and what was done about it. */
  worktrees: WorktreeView[];
  expiredSessions: number;
}

/** Removes what ended jobs left, as far as that is safe. Undefined where another process is at it. */
export async function maintainJobs(
  store: Store,
  config: MaintenanceConfig,
  { dryRun, signal }: { dryRun: boolean; signal: AbortSignal },
): Promise<Maintained | undefined> {
  const found = await maintain(store, config, { dryRun, signal, now: () => new Date() });
  if (!found) return undefined;
  return { worktrees: found.worktrees.map(worktreeView), expiredSessions: found.expiredSessions };
}
