import { jobView } from "../../../app/jobs/list.ts";
import { pauseById } from "../../../app/jobs/steer/pause.ts";
import { namedOrRunning } from "../../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../../app/project.ts";
import { printJson, printWords } from "../../../display/print.ts";
import { oneLine } from "../../../display/style.ts";
import { fitted } from "../../../display/width.ts";
import type { Job } from "../../../job/job.ts";
import { age } from "../../../util/figures.ts";

export interface PauseOptions {
  config?: string;
  json?: boolean;
  wait?: boolean;
}

export async function pause(named: string | undefined, options: PauseOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  const { id } = await namedOrRunning(store, named, "pause");
  const { wait = false } = options;
  const { state, job } = await pauseById(store, id, { wait });
  if (options.json) printJson(jobView(job));
  else if (state === "paused") printWords(`${id} is paused. Continue it with: baton resume ${id}`);
  else
    printWords(
      [
        `${id} pauses at its next boundary, when the tools that run have finished.`,
        ...job.tools.map((tool) => `  ${running(tool, new Date())}`),
        `Then continue it with: baton resume ${id}`,
        ...(job.tools.length > 0 ? [`To end it with what runs, cancel it: baton cancel ${id}`] : []),
      ].join("\n"),
    );
  return 0;
}

/** One that hangs is why a pause takes so long. */
function running({ name, summary, startedAt }: Job["tools"][number], now: Date): string {
  const lasts = age(Math.max(0, now.getTime() - Date.parse(startedAt)));
  return fitted(oneLine(`${name}, for ${lasts}: ${summary}`), MOST_OF_TOOL);
}

const MOST_OF_TOOL = 76;
