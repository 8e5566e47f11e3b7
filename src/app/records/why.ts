import type { Job } from "../../job/job.ts";
import { asCause, type Cause, causesOf, type ToldEvent } from "../../job/why.ts";
import { latestEvents } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import { namedOrNewest } from "../jobs/which.ts";
import { lookIntoStore, type Project } from "../project.ts";

export { standing, type ToldEvent } from "../../job/why.ts";

/** Most have words of their own. Among so many, one has. */
const LOOKED_AT = 20;

/** A job, the newest where none is named, with the two or three events that its status rests on. */
export async function whyOf(
  project: Project,
  named: string | undefined,
): Promise<{ job: Job; events: ToldEvent[] }> {
  await using store = await lookIntoStore(project);
  const job = await namedOrNewest(store, named);
  return { job, events: await eventsBehind(store, job) };
}

/** The two or three events that the status of a job rests on, in the order in which they happened. */
export async function eventsBehind(store: Store, job: Job): Promise<ToldEvent[]> {
  const [begun] = await latestEvents(store, job.id, ["job:started", "job:resumed"], 1);
  const found = new Map<number, ToldEvent>();
  for (const cause of causesOf(job)) {
    const event = await latest(store, job, cause, begun?.seq ?? 0);
    if (event) found.set(event.seq, event);
  }
  return [...found.values()].toSorted((a, b) => a.seq - b.seq);
}

async function latest(store: Store, job: Job, cause: Cause, begun: number): Promise<ToldEvent | undefined> {
  const after = cause.isOfThisRun ? begun : 0;
  const events = await latestEvents(store, job.id, cause.types, LOOKED_AT, after);
  return events.map((event) => asCause(cause, event)).find((event) => event !== undefined);
}
