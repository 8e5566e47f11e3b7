import type { JobEvent, JobEventType, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import type { Job } from "../job/job.ts";
import type { Claim } from "./claims.ts";
import { FencedError, insertEvents } from "./events.ts";
import { rowOfJob } from "./job-row.ts";
import type { Store } from "./store.ts";

/** What is asked for of a job that is long over: its request and its end, its documents with their facts, its checkpoints. */
const KEPT: JobEventType[] = [
  "job:created",
  "job:completed",
  "job:failed",
  "job:cancelled",
  "facts:collected",
  "handoff:stored",
  "handoff:archived",
  "checkpoint",
  "journal:compacted",
];

/** Puts one event with the whole summary in the place of all that is not kept, in one step. Says how many went. */
export async function compactEvents(store: Store, { job, attempt }: Claim, now: Date): Promise<number> {
  return store.db.transaction().execute(async (db) => {
    const { numDeletedRows } = await db
      .deleteFrom("events")
      .where("job", "=", job.id)
      .where("type", "not in", KEPT)
      .executeTakeFirst();
    const removed = Number(numDeletedRows);
    const event: JobEvent = { type: "journal:compacted", removed, summary: { ...job, trail: null } };
    const entry: JournalEvent = { seq: job.seq + 1, at: now.toISOString(), job: job.id, attempt, ...event };
    const { numUpdatedRows } = await db
      .updateTable("jobs")
      .set(rowOfJob(apply(job, entry)))
      .where("id", "=", job.id)
      .where("attempt", "=", attempt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new FencedError(job.id, attempt);
    await insertEvents(store, db, [entry]);
    return removed;
  });
}

/** The jobs that ended before a time, but for the newest of all that ended. */
export async function endedBefore(store: Store, time: Date, spared: number): Promise<{ id: string }[]> {
  const newest = await store.db
    .selectFrom("jobs")
    .select("id")
    .where("finished_at", "is not", null)
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(spared)
    .execute();
  const isSpared = new Set(newest.map(({ id }) => id));
  const ended = await store.db
    .selectFrom("jobs")
    .select("id")
    .where("finished_at", "<", time.toISOString())
    .where("leaves", "is", null)
    .where("owner", "is", null)
    .orderBy("finished_at")
    .orderBy("id")
    .execute();
  return ended.filter(({ id }) => !isSpared.has(id));
}

/** How many events a compaction would remove. */
export async function countCompactable(store: Store, job: Job): Promise<number> {
  const { count } = await store.db
    .selectFrom("events")
    .select((is) => is.fn.countAll().as("count"))
    .where("job", "=", job.id)
    .where("type", "not in", KEPT)
    .executeTakeFirstOrThrow();
  return Number(count);
}
