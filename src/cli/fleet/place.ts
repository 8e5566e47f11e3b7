import type { Command } from "commander";
import { wholeNumber } from "../command.ts";

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
    .option("--after <job>", "in the queue, start it once this job is completed; can be given again", listed);
}

export function placeIn({ priority, after }: PlaceOptions): PlaceOptions {
  return { ...(priority !== undefined && { priority }), ...(after && { after }) };
}

function listed(word: string, before: string[] = []): string[] {
  return [...before, word];
}
