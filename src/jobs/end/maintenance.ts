import { join } from "node:path";
import type { MaintenanceConfig } from "../../config/config.ts";
import { tryLock } from "../../files/lock.ts";
import { expireSessions } from "../../store/kept-sessions.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { type Compacted, compactJournals } from "./compaction.ts";
import { type Finding, tidyWorktrees } from "./janitor.ts";
import { type OldCheckpoints, removeOldCheckpoints } from "./old-checkpoints.ts";

export interface Maintained {
  worktrees: Finding[];
  checkpoints: OldCheckpoints[];
  expiredSessions: number;
  compacted: Compacted[];
}

interface MaintainOptions {
  dryRun: boolean;
  signal: AbortSignal;
  now: () => Date;
  /** In which worktrees are made, though none may be left there. */
  folders?: readonly string[];
}

/** Undefined while another process is at it. */
export async function maintain(
  store: Store,
  { worktreeCleanup, jobCleanup }: MaintenanceConfig,
  { dryRun, signal, now, folders = [] }: MaintainOptions,
): Promise<Maintained | undefined> {
  using lock = await tryLock(join(store.home, "maintenance"));
  if (!lock) return undefined;
  return {
    worktrees: await tidyWorktrees(store, { maintenance: worktreeCleanup, dryRun, now, signal, folders }),
    checkpoints: await removeOldCheckpoints(store, {
      maxAgeMs: worktreeCleanup.maxCheckpointAgeMs,
      ...{ dryRun, now, signal },
    }),
    expiredSessions: await expireSessions(store, now(), dryRun),
    compacted: await compactJournals(store, jobCleanup, { dryRun, signal, now }),
  };
}

/** Keeps house beside a running job: at its start, and from then on at each interval. */
export function maintainRegularly(
  store: Store,
  config: MaintenanceConfig,
  signal: AbortSignal,
  onTrouble: (message: string) => void,
): AsyncDisposable {
  const { worktreeCleanup, sessionCleanup, jobCleanup } = config;
  const now = () => new Date();
  let work = Promise.resolve();
  const next = (what: () => Promise<unknown>) => {
    work = work.then(what).then(
      () => {},
      (error: unknown) => onTrouble(messageOf(error)),
    );
  };
  const everything = () => maintain(store, config, { dryRun: false, signal, now });
  const timers: NodeJS.Timeout[] = [];
  if (worktreeCleanup.enabled) {
    if (worktreeCleanup.cleanupOnStartup) next(everything);
    timers.push(setInterval(() => next(everything), worktreeCleanup.intervalMs));
  }
  const isDoneWithWorktrees = worktreeCleanup.enabled && worktreeCleanup.cleanupOnStartup;
  if (!isDoneWithWorktrees) next(() => compactJournals(store, jobCleanup, { dryRun: false, signal, now }));
  if (sessionCleanup.enabled) {
    const sessions = () => expireSessions(store, now(), false);
    timers.push(setInterval(() => next(sessions), sessionCleanup.intervalMs));
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      await work;
    },
  };
}
