import type { JobEvent, JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import { emptyJob, type Job } from "../job/job.ts";
import { liveness, type Owner } from "../processes/owner.ts";
import { AmbiguousJobError, JobNotFoundError } from "./errors.ts";
import { insertEvents, parsed, readEvents } from "./events.ts";
import type { Store } from "./store.ts";

/** Puts a job on record. Nobody owns it yet. */
export async function createJob(
  store: Store,
  id: string,
  created: Extract<JobEvent, { type: "job:created" }>,
  now: Date,
): Promise<Job> {
  const event: JournalEvent = { seq: 1, at: now.toISOString(), job: id, attempt: 0, ...created };
  const job = apply(emptyJob(id), event);
  await store.db.transaction().execute(async (db) => {
    const row = {
      id,
      agent: job.agent,
      created_at: job.createdAt,
      attempt: 0,
      owner: null,
      seq: job.seq,
      leaves: null,
    };
    await db
      .insertInto("jobs")
      .values({ ...row, snapshot: JSON.stringify(job) })
      .execute();
    await insertEvents(store, db, [event]);
  });
  return job;
}

/** Newest first, beginning after the first `skipped`. */
export async function listJobs(store: Store, limit: number, skipped = 0): Promise<Job[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(skipped)
    .execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
}

/** The job of exactly this id. */
export async function getJob(store: Store, id: string): Promise<Job> {
  const row = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw new JobNotFoundError(id);
  return jobOf(store, row);
}

/** Finds a job by its id, or by the beginning of the id or of its random part where that is enough to tell. */
export async function findJob(store: Store, idOrPrefix: string): Promise<Job> {
  // No other character is in an id, and some would have a meaning in the patterns below.
  if (!/^[a-z0-9-]+$/.test(idOrPrefix)) throw new JobNotFoundError(idOrPrefix);
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where((is) =>
      is.or([is("id", "like", `${idOrPrefix}%`), is("id", "like", `job-____-__-__-${idOrPrefix}%`)]),
    )
    .orderBy("id")
    .limit(20)
    .execute();
  const row = rows.find(({ id }) => id === idOrPrefix) ?? rows[0];
  if (row === undefined) throw new JobNotFoundError(idOrPrefix);
  if (rows.length > 1 && row.id !== idOrPrefix) {
    throw new AmbiguousJobError(
      idOrPrefix,
      rows.map(({ id }) => id),
    );
  }
  return jobOf(store, row);
}

/** Whether a process has the job that lives, as far as can be seen from here. */
export async function isClaimed(store: Store, id: string): Promise<boolean> {
  const row = await store.db.selectFrom("jobs").select("owner").where("id", "=", id).executeTakeFirst();
  if (!row?.owner) return false;
  return liveness(parsed<Owner>(store, row.owner)) !== "dead";
}

/** The jobs of which Baton has a worktree, or the branch of one, to keep or remove. */
export async function jobsThatLeave(store: Store): Promise<Job[]> {
  const rows = await store.db
    .selectFrom("jobs")
    .select(["id", "snapshot"])
    .where("leaves", "is not", null)
    .orderBy("created_at")
    .execute();
  return Promise.all(rows.map((row) => jobOf(store, row)));
}

export async function jobOf(store: Store, row: { id: string; snapshot: string | null }): Promise<Job> {
  if (row.snapshot !== null) return parsed(store, row.snapshot);
  let job = emptyJob(row.id);
  for (;;) {
    const events = await readEvents(store, row.id, job.seq);
    if (events.length === 0) return job;
    job = events.reduce(apply, job);
  }
}
