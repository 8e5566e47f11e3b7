import { runInBackground } from "../../app/jobs/background/start.ts";
import type { ReadyJob } from "../../app/jobs/ready-job.ts";
import type { Project } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { shortId } from "../../display/words.ts";
import { EXIT } from "../exit.ts";

/** Has a job run in the background, and says how to get at it. */
export async function detach(
  project: Project,
  ready: ReadyJob,
  options: { config?: string; json?: boolean },
): Promise<number> {
  const detached = await runInBackground(project, ready, options);
  if (options.json) printJson(detached);
  else print(inWords(detached.job));
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
