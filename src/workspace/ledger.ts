import type { WorkspaceRecord } from "./workspace.ts";

/**
 * A worktree, or the branch of one, that a job of this store made. The job is at `work`; or rests and may be resumed
 * again; or has come to its `end`. `due`: at rest or at its end, and its worktree is to go, because it is too old or
 * somebody has deleted its folder.
 */
export interface LedgerEntry {
  job: string;
  at: "work" | "rest" | "due" | "end";
  workspace: WorkspaceRecord;
}

/** What the store knows about worktrees: nothing else counts as Baton's. */
export interface Ledger {
  entries(): Promise<LedgerEntry[]>;
  /** Removes the worktree of a job that is due or at its end. Says why where that cannot be. */
  clear(job: string): Promise<string | undefined>;
  /** The worktree of a job at its end is now another's. */
  passOn(job: string, to: string): Promise<void>;
}
