import { LANE_EVENTS, type Lane, lanesOf } from "../../job/relay/lanes.ts";
import { eventPage } from "../../store/events.ts";
import type { FoundJob } from "./jobs.ts";

/** Of a job whose journal is longer, the rest of the lanes is missing: its newest events are drawn. */
const MOST_EVENTS = 20_000;

/** The sessions of a job, each as its window filled. */
export async function lanesIn({ where, job }: FoundJob): Promise<Lane[]> {
  const wanted = { types: LANE_EVENTS, order: "desc" as const };
  const { events } = await eventPage(where.store, job.id, MOST_EVENTS, wanted);
  return lanesOf(job, events.toReversed());
}
