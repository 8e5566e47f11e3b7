import type { JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import type { Job } from "../job/job.ts";
import { liveness, type Owner } from "../processes/owner.ts";
import { localMinute } from "../util/time.ts";
import { releaseJob } from "./claims.ts";
import { insertEvents, parsed } from "./events.ts";
import { rowOfJob } from "./job-row.ts";
import { jobOf } from "./jobs.ts";
import { queuedEvent, wantedIn } from "./queue.ts";
import type { Store } from "./store.ts";

/**
 * Marks the jobs whose owner died at work, each once however many processes look, and returns them. Those that the fleet
 * is to run wait in its queue again. `isLost`: whose owner does nothing for it any more.
 */
export async function sweepInterrupted(
  store: Store,
  now: Date,
  isLost: (job: string, owner: Owner) => boolean = (_job, owner) => liveness(owner) === "dead",
): Promise<Job[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "attempt", "owner", "snapshot"])
    .where("owner", "is not", null)
    .execute();
  const marked: Job[] = [];
  for (const row of rows) {
    const owner: Owner = parsed(store, row.owner ?? "null");
    if (!isLost(row.id, owner)) continue;
    const job = await jobOf(store, row);
    if (!["created", "running", "waiting"].includes(job.status)) {
      await releaseJob(store, row.id, row.attempt);
      continue;
    }
    const interrupted = await markInterrupted(store, job, row.attempt, owner, now);
    if (interrupted) marked.push(interrupted);
  }
  return marked;
}

async function markInterrupted(store: Store, job: Job, attempt: number, owner: Owner, now: Date) {
  const common = { at: now.toISOString(), job: job.id, attempt: attempt + 1 };
  const died: JournalEvent = {
    ...{ seq: job.seq + 1, ...common },
    type: "job:interrupted",
    died: true,
    message: `Process ${owner.pid}, which had run the job since ${localMinute(new Date(owner.since))}, ended without saying why.`,
  };
  return store.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable("jobs")
      .set({ attempt: common.attempt, owner: null, hears: 1 })
      .where("id", "=", job.id)
      .where("attempt", "=", attempt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    const waits = await db
      .selectFrom("queue")
      .select(["priority", "after"])
      .where("job", "=", job.id)
      .executeTakeFirst();
    const again: JournalEvent[] = waits
      ? [{ seq: job.seq + 2, ...common, ...queuedEvent(wantedIn(store, waits), { message: CONTINUES }) }]
      : [];
    const events = [died, ...again];
    const interrupted = events.reduce(apply, job);
    await db.updateTable("jobs").set(rowOfJob(interrupted)).where("id", "=", job.id).execute();
    await insertEvents(store, db, events);
    return interrupted;
  });
}

const CONTINUES = "the fleet continues it when it has a slot again";
