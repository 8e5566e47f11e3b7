import { jobView } from "../../../app/jobs/list.ts";
import { pauseById } from "../../../app/jobs/steer/pause.ts";
import { namedOrRunning } from "../../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../../app/project.ts";
import { print, printJson } from "../../../display/print.ts";

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
  else if (state === "paused") print(`${id} is paused. Continue it with: baton resume ${id}`);
  else
    print(
      `${id} pauses at its next boundary, when the tools that run have finished.\nThen continue it with: baton resume ${id}`,
    );
  return 0;
}
