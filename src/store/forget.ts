import { liveness, type Owner } from "../processes/owner.ts";
import { JobOwnedError } from "./claims.ts";
import { JobNotFoundError } from "./errors.ts";
import { parsed } from "./events.ts";
import type { Store } from "./store.ts";

/** Every table that has something of a job. */
const TABLES = [
  "events",
  "requests",
  "messages",
  "asks",
  "kept_sessions",
  "queue",
  "inbox_done",
  "written_files",
  "conversations",
  "chat_outbox",
  "long_texts",
] as const;

/** Takes a job out of the store, all of it or nothing. Refused while a process that may be alive has it. */
export async function forgetJob(store: Store, id: string): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    // A write comes first, so that nobody can claim the job any more.
    for (const table of TABLES) await db.deleteFrom(table).where("job", "=", id).execute();
    // That a schedule was due stays on record.
    await db.updateTable("fires").set({ job: null }).where("job", "=", id).execute();
    // So does that its item was worked on, but not what it said.
    await db.updateTable("work_items").set({ job: null, seen: null }).where("job", "=", id).execute();
    const row = await db.deleteFrom("jobs").where("id", "=", id).returning("owner").executeTakeFirst();
    if (row === undefined) throw new JobNotFoundError(id);
    if (row.owner === null) return;
    const owner: Owner = parsed(store, row.owner);
    const seen = liveness(owner);
    if (seen !== "dead") throw new JobOwnedError(id, owner, seen);
  });
}
