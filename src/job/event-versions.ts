import type { JobEvent } from "./events.ts";

type Step = (older: JobEvent) => JobEvent;

/**
 * Step n is given every event of version n, which may lack what its type says today, and returns what version n + 1 would
 * have written. A released step never changes.
 */
const steps: readonly Step[] = [];

/** Of the events that this Baton writes. Those that were stored without a version are of version 1. */
export const EVENT_VERSION = steps.length + 1;

/** An event as today's Baton would have written it. One of a newer Baton stays as it is. */
export function currentEvent(event: JobEvent, version: number, by: readonly Step[] = steps): JobEvent {
  return by.slice(version - 1).reduce((older, step) => step(older), event);
}
