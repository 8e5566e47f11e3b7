import type { Job, JobStatus } from "../job/job.ts";
import { sweepInterrupted } from "../store/claims.ts";
import { jobsThatLeave } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Ledger, LedgerEntry } from "../workspace/ledger.ts";

/** The worktrees of a store's jobs. `clear` and `passOn` change other jobs, so they come from whoever may claim those. */
export function storeLedger(store: Store, changes: Pick<Ledger, "clear" | "passOn">): Ledger {
  return {
    async entries() {
      // A job whose process died is not at work, whatever it said last.
      await sweepInterrupted(store, new Date());
      return (await jobsThatLeave(store)).flatMap(entryOf);
    },
    ...changes,
  };
}

function entryOf({ id, status, workspace }: Job): LedgerEntry[] {
  return workspace ? [{ job: id, at: standing[status], workspace }] : [];
}

const standing: Record<JobStatus, LedgerEntry["at"]> = {
  created: "work",
  running: "work",
  waiting: "work",
  paused: "rest",
  interrupted: "rest",
  completed: "end",
  failed: "end",
  cancelled: "end",
};
