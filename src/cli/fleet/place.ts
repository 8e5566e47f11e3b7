import type { Command } from "commander";
import { UsageError } from "../../app/usage-error.ts";
import { collected, wholeNumber } from "../command.ts";

/** What can be said of a place in the queue, as it is typed. */
export interface PlaceOptions {
  priority?: number;
  after?: string[];
}

/** For commands that put a job into the queue. */
export function withPlace(of: Command): Command {
  return of
    .option(
      "--priority <n>",
      "in the queue, jobs with a higher number start first",
      wholeNumber(-1_000, 1_000),
    )
    .option(
      "--after <job>",
      "in the queue, start it once this job is completed; can be given again",
      collected,
    );
}

export function placeIn({ priority, after }: PlaceOptions): PlaceOptions {
  return { ...(priority !== undefined && { priority }), ...(after && { after }) };
}

/** Of a command that runs a job, or puts it into the queue. */
export interface QueueOptions extends PlaceOptions {
  queue?: boolean;
  detach?: boolean;
}

export const QUEUE = ["--queue", "put it into the queue of the fleet, and start nothing"] as const;

/** Only a queue has places. */
export function refusePlace({ queue = false, detach = false, priority, after }: QueueOptions): void {
  if (queue && detach)
    throw new UsageError("--queue waits for the fleet, and --detach for nothing. Choose one.");
  if (queue || (priority === undefined && !after)) return;
  throw new UsageError("--priority and --after are for the queue: add --queue.");
}
