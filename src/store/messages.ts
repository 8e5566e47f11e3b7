import { sendRequest } from "./requests.ts";
import type { Store } from "./store.ts";
import type { Moment } from "./tables.ts";

/** What somebody sent to a job and its session was not told yet. */
export interface QueuedMessage {
  /** Counts over all jobs of a store, and none is given twice. */
  id: number;
  text: string;
  moment: Moment;
  /** When it was sent. */
  at: string;
}

/** One that a session was sent, and may not have: its process can have ended before it heard of it. */
export interface SentMessage extends QueuedMessage {
  session: string;
}

const SHAPE = ["id", "text", "moment", "at"] as const;

/**
 * Keeps a message for a job until its session has it, and has the process that runs the job look. Undefined where the job
 * takes none any more.
 */
export async function queueMessage(
  store: Store,
  job: string,
  { text, moment, at }: Omit<QueuedMessage, "id">,
): Promise<number | undefined> {
  const queued = await store.db
    .insertInto("messages")
    .columns(["job", "text", "moment", "at"])
    .expression((from) =>
      from
        .selectFrom("jobs")
        .select(({ val }) => ["id", val(text).as("text"), val(moment).as("moment"), val(at).as("at")])
        .where("id", "=", job)
        .where("hears", "=", 1)
        .where("status", "!=", "completed"),
    )
    .returning("id")
    .executeTakeFirst();
  if (queued) await haveLooked(store, job, at);
  return queued?.id;
}

/** Oldest first. */
export async function messagesTo(store: Store, job: string): Promise<QueuedMessage[]> {
  return waiting(store).where("job", "=", job).execute();
}

/** Those to all jobs, oldest first. */
export async function allMessages(store: Store): Promise<(QueuedMessage & { job: string })[]> {
  return waiting(store).select("job").execute();
}

function waiting(store: Store) {
  return store.db.selectFrom("messages").select(SHAPE).where("session", "is", null).orderBy("id");
}

/** Takes a message back. Undefined where it is not there, or was sent already. */
export async function removeMessage(
  store: Store,
  id: number,
  now: Date,
): Promise<(QueuedMessage & { job: string }) | undefined> {
  const removed = await store.db
    .deleteFrom("messages")
    .where("id", "=", id)
    .where("session", "is", null)
    .returning([...SHAPE, "job"])
    .executeTakeFirst();
  if (removed) await haveLooked(store, removed.job, now.toISOString());
  return removed;
}

/** Says it differently, or at another moment, as long as it waits. Undefined where it does not. */
export async function changeMessage(
  store: Store,
  id: number,
  change: Partial<Pick<QueuedMessage, "text" | "moment">>,
  now: Date,
): Promise<(QueuedMessage & { job: string }) | undefined> {
  const changed = await store.db
    .updateTable("messages")
    .set(change)
    .where("id", "=", id)
    .where("session", "is", null)
    .returning([...SHAPE, "job"])
    .executeTakeFirst();
  if (changed) await haveLooked(store, changed.job, now.toISOString());
  return changed;
}

function haveLooked(store: Store, job: string, at: string): Promise<void> {
  return sendRequest(store, job, { kind: "messages", payload: null, at });
}

/** Who has the job. Whoever was replaced changes nothing. */
export interface Hearer {
  store: Store;
  job: string;
  attempt: number;
}

/** From here on they cannot be taken back. Returns those of them that were still there, oldest first. */
export async function takeMessages(
  { store, job, attempt }: Hearer,
  ids: readonly number[],
  session: string,
): Promise<QueuedMessage[]> {
  const taken = await store.db
    .updateTable("messages")
    .set({ session })
    .where("id", "in", ids)
    .where("session", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("jobs").select("id").where("id", "=", job).where("attempt", "=", attempt)),
    )
    .returning(SHAPE)
    .execute();
  return taken.sort((a, b) => a.id - b.id);
}

/** Those that sessions were sent, oldest first. */
export async function sentMessages({ store, job }: Hearer): Promise<SentMessage[]> {
  const rows = await store.db
    .selectFrom("messages")
    .select([...SHAPE, "session"])
    .where("job", "=", job)
    .where("session", "is not", null)
    .orderBy("id")
    .execute();
  return rows.flatMap(({ session, ...row }) => (session === null ? [] : [{ ...row, session }]));
}

/** No session has them: they wait again. */
export async function putBackMessages(
  { store, job, attempt }: Hearer,
  ids: readonly number[],
): Promise<void> {
  await store.db
    .updateTable("messages")
    .set({ session: null })
    .where("id", "in", ids)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("jobs").select("id").where("id", "=", job).where("attempt", "=", attempt)),
    )
    .execute();
}

/** Their session has them. */
export async function forgetMessages({ store, job, attempt }: Hearer, ids: readonly number[]): Promise<void> {
  await store.db
    .deleteFrom("messages")
    .where("id", "in", ids)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("jobs").select("id").where("id", "=", job).where("attempt", "=", attempt)),
    )
    .execute();
}

/** The job is about to complete and takes no more, unless some wait. False where some do. */
export async function stopHearing({ store, job, attempt }: Hearer): Promise<boolean> {
  const { numUpdatedRows } = await store.db
    .updateTable("jobs")
    .set({ hears: 0 })
    .where("id", "=", job)
    .where("attempt", "=", attempt)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("messages")
            .select("messages.id")
            .where("messages.job", "=", job)
            .where("messages.session", "is", null),
        ),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
