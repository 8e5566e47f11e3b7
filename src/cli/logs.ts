import { setTimeout as sleep } from "node:timers/promises";
import type { JournalEvent } from "../jobs/events.ts";
import { sweepInterrupted } from "../store/claims.ts";
import { readEvents } from "../store/events.ts";
import { findJob } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { eventLine } from "./display/event-line.ts";
import { type Paint, paintFor } from "./display/style.ts";
import { findProject, lookIntoStore } from "./project.ts";

export interface LogsOptions {
  config?: string;
  json?: boolean;
  follow?: boolean;
}

const FOLLOW_MS = 250;
const AT_WORK = ["created", "running", "waiting"];

export async function logs(id: string, options: LogsOptions): Promise<number> {
  await using store = await lookIntoStore(findProject(options));
  const paint = paintFor(process.stdout, process.env);
  const lineOf = (event: JournalEvent) => (options.json ? JSON.stringify(event) : timedLine(event, paint));
  for (let seen = 0; ; await sleep(FOLLOW_MS)) {
    const job = await findJob(store, id);
    const before = seen;
    for await (const event of eventsAfter(store, job.id, seen)) {
      const line = lineOf(event);
      if (line !== undefined) process.stdout.write(`${line}\n`);
      seen = event.seq;
    }
    if (!options.follow || !AT_WORK.includes(job.status) || !process.stdout.writable) return 0;
    if (seen === before) await markIfDead(store);
  }
}

async function* eventsAfter(store: Store, job: string, seen: number): AsyncGenerator<JournalEvent> {
  for (let last = seen; ; ) {
    const events = await readEvents(store, job, last);
    yield* events;
    const newest = events.at(-1);
    if (newest === undefined || !process.stdout.writable) return;
    last = newest.seq;
  }
}

/** A job whose process died without a word would be followed for ever. */
async function markIfDead(store: Store): Promise<void> {
  // In a store that cannot be written the job stays as it is.
  await sweepInterrupted(store, new Date()).catch(() => {});
}

function timedLine(event: JournalEvent, paint: Paint): string | undefined {
  const text = eventLine(event, paint);
  if (text === undefined) return undefined;
  const time = new Date(event.at).toTimeString().slice(0, 8);
  return `${paint("dim", time)} ${text.replaceAll("\n", `\n${" ".repeat(time.length + 1)}`)}`;
}
