import { cancelById } from "../../app/jobs/cancel.ts";
import { jobView } from "../../app/jobs/list.ts";
import { namedOrRunning } from "../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../app/project.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { whereTheWorkIs } from "../../display/job-end.ts";
import { printJson, printWords } from "../../display/print.ts";

export interface CancelOptions {
  config?: string;
  json?: boolean;
}

export async function cancel(named: string | undefined, options: CancelOptions): Promise<number> {
  await using store = await openStoreOfJobs(findProject(options));
  const { id } = await namedOrRunning(store, named, "cancel");
  const ended = await cancelById(store, id);
  if (options.json) printJson(jobView(ended));
  else
    printWords(
      folded(
        `${ended.id} is ${ended.status}. ${whereTheWorkIs(ended)} \`baton resume ${ended.id}\` continues it.`,
        screenWidth(process.stdout),
      ),
    );
  return 0;
}
