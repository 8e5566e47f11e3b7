import { enqueueReady } from "../../app/fleet/enqueue.ts";
import { runInBackground } from "../../app/jobs/background/start.ts";
import type { ReadyJob } from "../../app/jobs/ready-job.ts";
import type { Project } from "../../app/project.ts";
import { printJson, printWords } from "../../display/print.ts";
import { shortId } from "../../display/words.ts";
import { deedIsOn } from "../audited.ts";
import { EXIT } from "../exit.ts";
import { sayEnqueued } from "../fleet/enqueued.ts";

/** Has a job run in the background, by the fleet where one runs, and says how to get at it. */
export async function detach(
  project: Project,
  ready: ReadyJob,
  options: { config?: string; json?: boolean },
): Promise<number> {
  deedIsOn(ready.job);
  // What another configuration says, only its own process would know.
  const enqueued = options.config === undefined ? await enqueueReady(project, ready) : undefined;
  if (enqueued) return sayEnqueued(enqueued, options);
  const detached = await runInBackground(project, ready, options);
  if (options.json) printJson(detached);
  else printWords(inWords(detached.job));
  return EXIT.completed;
}

function inWords(job: string): string {
  const id = shortId(job);
  return [
    `${job} runs in the background.`,
    `  baton attach ${id}   watch it, and write to its agent`,
    `  baton show ${id}     its state and figures`,
    `  baton cancel ${id}   end it`,
  ].join("\n");
}
