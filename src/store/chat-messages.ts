import type { JournalEvent } from "../job/events.ts";
import { eventIn, journalEventIn } from "./events.ts";
import type { Store } from "./store.ts";

const PAGE = 500;

/** What people said in the newest chats of a project, oldest first. */
export async function saidInChats(store: Store, most: number): Promise<string[]> {
  const said: string[] = [];
  for (let skipped = 0; ; skipped += PAGE) {
    const rows = await messagesInChats(store, skipped);
    for (const row of rows) {
      const event = eventIn(store, row);
      if (event.type !== "message:sent" || !["request", "said"].includes(event.kind)) continue;
      said.push(event.text);
      if (said.length === most) return said.reverse();
    }
    if (rows.length < PAGE) return said.reverse();
  }
}

/** The last of what a person and their agent said to each other in a job, oldest first. */
export async function lastSaidIn(store: Store, job: string, most: number): Promise<JournalEvent[]> {
  const rows = await store.db
    .selectFrom("events")
    .selectAll()
    .where("job", "=", job)
    .where("type", "in", ["message:sent", "text"])
    .orderBy("seq", "desc")
    .limit(PAGE)
    .execute();
  const events = rows.map((row) => journalEventIn(store, row));
  return events.filter(isSaid).slice(0, most).reverse();
}

/** Whether a person said something in a job after which it never came to wait for the next word of theirs. */
export async function isAnswerOwed(store: Store, job: string): Promise<boolean> {
  const awaited = await lastEventOf(store, job, "person:awaited");
  const sent = await store.db
    .selectFrom("events")
    .selectAll()
    .where("job", "=", job)
    .where("type", "=", "message:sent")
    .where("seq", ">", awaited)
    .execute();
  return sent.some((row) => isSaid(journalEventIn(store, row)));
}

async function lastEventOf(store: Store, job: string, type: JournalEvent["type"]): Promise<number> {
  const row = await store.db
    .selectFrom("events")
    .select(({ fn }) => fn.max("seq").as("seq"))
    .where("job", "=", job)
    .where("type", "=", type)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

function isSaid(event: JournalEvent): boolean {
  return event.type === "text" || (event.type === "message:sent" && /^(?:request|said)$/.test(event.kind));
}

/** Newest first, those of Baton among them. */
function messagesInChats(store: Store, skipped: number) {
  return store.db
    .selectFrom("events")
    .select(["type", "version", "data"])
    .where("type", "=", "message:sent")
    .where("job", "in", (chats) =>
      chats.selectFrom("events").select("job").distinct().where("type", "=", "person:awaited"),
    )
    .orderBy("at", "desc")
    .orderBy("seq", "desc")
    .limit(PAGE)
    .offset(skipped)
    .execute();
}
