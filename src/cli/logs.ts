import { setTimeout as sleep } from "node:timers/promises";
import { readEvents } from "../store/events.ts";
import { findJob } from "../store/jobs.ts";
import { eventLine } from "./display/event-line.ts";
import { paintFor } from "./display/style.ts";
import { findProject, lookIntoStore } from "./project.ts";

export interface LogsOptions {
  config?: string;
  json?: boolean;
  follow?: boolean;
}

const FOLLOW_MS = 250;

export async function logs(id: string, options: LogsOptions): Promise<number> {
  await using store = await lookIntoStore(findProject(options));
  const paint = paintFor(process.stdout, process.env);
  let job = await findJob(store, id);
  let seen = 0;
  for (;;) {
    for (let more = true; more; ) {
      const events = await readEvents(store, job.id, seen);
      for (const event of events) {
        const text = options.json ? JSON.stringify(event) : eventLine(event, paint);
        if (text !== undefined)
          console.log(options.json ? text : `${paint("dim", event.at.slice(11, 19))} ${text}`);
        seen = event.seq;
      }
      more = events.length > 0;
    }
    const going = job.status === "running" || job.status === "waiting" || job.status === "created";
    if (!options.follow || !going) return 0;
    await sleep(FOLLOW_MS);
    job = await findJob(store, job.id);
  }
}
