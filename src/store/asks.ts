import { type Kysely, sql } from "kysely";
import type { PermissionAnswer } from "../agents/permission.ts";
import type { JobEventType, JournalEvent } from "../job/events.ts";
import { liveness, type Owner } from "../processes/owner.ts";
import { parsed } from "./events.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/** Who has the job. Whoever was replaced changes nothing. */
interface Asker {
  store: Store;
  job: string;
  attempt: number;
}

/** An answer that its asker has not heard of. */
export interface GivenAnswer {
  ask: string;
  answer: PermissionAnswer;
}

interface AskOfJob {
  job: string;
  ask: string;
}

/** What became of an ask, for whoever answers it. */
export type Standing =
  | { state: "unknown" }
  | { state: "over"; why: "answered" | "closed"; answer?: PermissionAnswer; at?: string }
  /** `isWaited`: a process waits for the answer. Otherwise the job is to be continued. */
  | { state: "taken"; isWaited: boolean };

/** Not as a parameter: the index over those that are not is only used where the query says so itself. */
const CLOSED = sql.lit("closed" as const);

/** After one of these nobody of the job waits any more. */
const OVER: ReadonlySet<JobEventType> = new Set(["job:completed", "job:failed", "job:cancelled"]);

/** Keeps in step with the journal what can be answered. In the transaction that makes the events durable. */
export async function followAsks(db: Kysely<Tables>, events: readonly JournalEvent[]): Promise<void> {
  for (const event of events) {
    const { job, at } = event;
    if (event.type === "ask:made") {
      const { ask: id, until = null } = event;
      const row = { id, job, at, until, state: "open" as const, answer: null, answered_at: null };
      await db.insertInto("asks").values(row).execute();
    } else if (
      event.type === "ask:answered" ||
      event.type === "ask:withdrawn" ||
      event.type === "ask:expired"
    ) {
      await db
        .updateTable("asks")
        .set({ state: "closed" })
        .where("id", "=", event.ask)
        .where("job", "=", job)
        .execute();
    } else if (OVER.has(event.type)) {
      await db
        .updateTable("asks")
        .set({ state: "closed" })
        .where("job", "=", job)
        .where("state", "!=", CLOSED)
        .execute();
    }
  }
}

/** Answers an ask, if nobody has. `told`: what the agent hears when its job continues, where no process waits for the answer. */
export async function giveAnswer(
  store: Store,
  { job, ask }: AskOfJob,
  { answer, told, now }: { answer: PermissionAnswer; told: string; now: Date },
): Promise<Standing> {
  const at = now.toISOString();
  return store.db.transaction().execute(async (db): Promise<Standing> => {
    const taken = await db
      .updateTable("asks")
      .set({ answer: JSON.stringify(answer), answered_at: at })
      .where("id", "=", ask)
      .where("job", "=", job)
      .where("answered_at", "is", null)
      .where("state", "!=", CLOSED)
      .returning("state")
      .executeTakeFirst();
    if (!taken) return standingOf(store, db, { job, ask });
    const { state } = taken;
    const row = await db.selectFrom("jobs").select("owner").where("id", "=", job).executeTakeFirst();
    const isOwned = Boolean(row?.owner) && liveness(parsed<Owner>(store, row?.owner ?? "")) !== "dead";
    const isWaited = state === "open" && isOwned;
    if (isWaited) {
      await db.insertInto("requests").values({ job, kind: "answers", payload: "null", at }).execute();
    } else {
      await db
        .insertInto("messages")
        .values({ job, text: told, moment: "boundary", at, session: null })
        .execute();
    }
    return { state: "taken", isWaited };
  });
}

async function standingOf(
  store: Store,
  db: Kysely<Tables>,
  { job, ask }: AskOfJob,
): Promise<Exclude<Standing, { state: "taken" }>> {
  const row = await db
    .selectFrom("asks")
    .select(["answer", "answered_at"])
    .where("id", "=", ask)
    .where("job", "=", job)
    .executeTakeFirst();
  if (!row) return { state: "unknown" };
  if (row.answer === null || row.answered_at === null) return { state: "over", why: "closed" };
  return { state: "over", why: "answered", answer: parsed(store, row.answer), at: row.answered_at };
}

/** The job of an ask, and what became of it as far as nobody can answer it any more. */
export async function jobAsking(
  store: Store,
  ask: string,
): Promise<{ job: string; standing: Exclude<Standing, { state: "taken" }> } | undefined> {
  const rows = await store.db.selectFrom("asks").select(["job", "state"]).where("id", "=", ask).execute();
  const row = rows.find(({ state }) => state !== "closed") ?? rows[0];
  return row && { job: row.job, standing: await standingOf(store, store.db, { job: row.job, ask }) };
}

/** Jobs with something that waits for a person, by their ids. */
export async function jobsThatAsk(store: Store): Promise<string[]> {
  const rows = await unanswered(store.db).select("job").distinct().execute();
  return rows.map(({ job }) => job);
}

/** Those that a person has answered, and their job has not recorded. */
export async function answeredAsks(store: Store): Promise<Set<string>> {
  const rows = await store.db
    .selectFrom("asks")
    .select("id")
    .where("state", "!=", CLOSED)
    .where("answered_at", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function unanswered(db: Kysely<Tables>) {
  return db.selectFrom("asks").where("state", "!=", CLOSED).where("answered_at", "is", null);
}

/** The answers of people that the job has not recorded. */
export async function answersTo({ store, job }: Pick<Asker, "store" | "job">): Promise<GivenAnswer[]> {
  const rows = await store.db
    .selectFrom("asks")
    .select(["id", "answer"])
    .where("job", "=", job)
    .where("state", "!=", CLOSED)
    .where("answered_at", "is not", null)
    .orderBy("answered_at")
    .execute();
  return rows.map(({ id, answer }) => ({ ask: id, answer: parsed(store, answer ?? "null") }));
}

/** From here on an answer to these does not reach the program that had asked. False where one was answered meanwhile: then nothing changes. */
export async function letGo(
  { store, job, attempt }: Asker,
  asks: readonly string[],
  state: "kept" | "closed",
): Promise<boolean> {
  return store.db.transaction().execute(async (db) => {
    const isOurs = await db
      .updateTable("jobs")
      .set({ attempt })
      .where("id", "=", job)
      .where("attempt", "=", attempt)
      .executeTakeFirst();
    const answered = await db
      .selectFrom("asks")
      .select("id")
      .where("id", "in", asks)
      .where("job", "=", job)
      .where("answered_at", "is not", null)
      .executeTakeFirst();
    if (answered || isOurs.numUpdatedRows === 0n) return false;
    await db.updateTable("asks").set({ state }).where("id", "in", asks).where("job", "=", job).execute();
    return true;
  });
}

/** Those that nobody answered in time, of jobs that rest. */
export async function overdueAsks(store: Store, now: Date): Promise<AskOfJob[]> {
  const rows = await unanswered(store.db)
    .select(["id", "job"])
    .where("state", "=", "kept")
    .where("until", "<=", now.toISOString())
    .execute();
  return rows.map(({ id, job }) => ({ ask: id, job }));
}
