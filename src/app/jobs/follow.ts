import { setTimeout as sleep } from "node:timers/promises";
import type { JournalEvent } from "../../job/events.ts";
import { readEvents } from "../../store/events.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";

const FOLLOW_MS = 250;
const AT_WORK = ["created", "queued", "running", "waiting"];

/** What happened in a job, named by its id or the beginning of it; with `follow` also what happens, until it is no longer at work. */
export async function* eventsOf(
  store: Store,
  named: string,
  { follow, after = 0 }: { follow: boolean; after?: number },
): AsyncGenerator<JournalEvent> {
  const { id } = await findJob(store, named);
  yield* follow ? followed(store, id, after) : eventsSoFar(store, id, after);
}

/** What stands in a job's journal after this event. */
export async function* eventsSoFar(store: Store, job: string, after: number): AsyncGenerator<JournalEvent> {
  for (let last = after; ; ) {
    const events = await readEvents(store, job, last);
    yield* events;
    const newest = events.at(-1);
    if (newest === undefined) return;
    last = newest.seq;
  }
}

/** What happens in a job after this event, until the job is no longer at work, whichever process runs it, or `signal` is aborted. */
export async function* followed(
  store: Store,
  id: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<JournalEvent> {
  for (let seen = after; !signal?.aborted; await pause(signal)) {
    const job = await getJob(store, id);
    const before = seen;
    for await (const event of eventsSoFar(store, job.id, seen)) {
      yield event;
      seen = event.seq;
    }
    if (!AT_WORK.includes(job.status)) return;
    if (seen === before) await markIfDead(store);
  }
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return sleep(FOLLOW_MS, undefined, { ...(signal && { signal }) }).catch(() => {});
}

/** A job whose process died without a word would be followed for ever. */
async function markIfDead(store: Store): Promise<void> {
  // In a store that cannot be written the job stays as it is.
  await sweepInterrupted(store, new Date()).catch(() => {});
}
