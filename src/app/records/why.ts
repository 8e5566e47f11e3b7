import { oneLine } from "../../display/style.ts";
import { longDate } from "../../display/when.ts";
import type { Job } from "../../job/job.ts";
import { asCause, type Cause, causesOf, standing, type ToldEvent } from "../../job/why.ts";
import { latestEvents } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { type FleetView, fleetOfProject, type QueuedView } from "../fleet/view.ts";
import { namedOrNewest } from "../jobs/which.ts";
import { lookIntoStore, type Project } from "../project.ts";

export type { ToldEvent } from "../../job/why.ts";

/** Why a job is what it is. */
export interface Why {
  job: Job;
  /** What there is to say besides the events. */
  because?: string;
  /** Of one that is queued. */
  fleet?: FleetView;
  queued?: QueuedView;
  events: ToldEvent[];
}

/** Most have words of their own. Among so many, one has. */
const LOOKED_AT = 20;

/** A job, the newest where none is named, with the two or three events that its status rests on. */
export async function whyOf(project: Project, named: string | undefined): Promise<Why> {
  await using store = await lookIntoStore(project);
  const job = await namedOrNewest(store, named);
  const fleet = job.status === "queued" ? await fleetOfProject(project) : undefined;
  const queued = fleet?.queue.find((each) => each.job === job.id);
  const because = queued
    ? `It waits at place ${queued.position}: ${oneLine(queued.reason.text)}.`
    : standing(job, (at) => longDate(new Date(at).toISOString()));
  return { job, ...given({ because, fleet, queued }), events: await eventsBehind(store, job) };
}

/** What `baton show <job> --why --json` prints, and the API answers: its keys are a promise to users. */
export function whyView({ job: { id, status, pauseCode }, because, queued, events }: Why) {
  return {
    ...{ id, status },
    ...(pauseCode !== null && { pauseCode }),
    ...given({ because, queued }),
    events: events.map(({ seq, at, type, told: { title, text } }) => ({ seq, at, type, title, text })),
  };
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
