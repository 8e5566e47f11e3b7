import { startJob } from "../../app/jobs/start.ts";
import { configOf, findProject, type Project } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import type { Config } from "../../config/config.ts";
import { printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { deedBegins } from "../audited.ts";
import { agreeFirst, answerTo } from "../config/agree.ts";
import { placeIn, type QueueOptions, refusePlace } from "../fleet/place.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { refuseWhere, runHereOrDetached, type WhereOptions } from "./here-or-detached.ts";
import { warnOfNames } from "./misspelt-names.ts";
import { whatToRun } from "./prompt.ts";

export interface RunOptions extends ChosenOptions, WhereOptions, QueueOptions {
  promptFile?: string;
  epic?: string;
  workItem?: string;
  title?: string;
  schedule?: string;
}

export async function run(words: string[], options: RunOptions): Promise<number> {
  await refuseWhere(options);
  refusePlace(options);
  const project = findProject(options);
  await agreeFirst(project, options);
  const config = await configOf(project, chosenIn(options));
  const { agent: name, prompt } = await whatToRun(words, options.promptFile, config);
  const origin = originOf(options);
  const unfinished = await jobToContinue(project, config, name, options);
  if (unfinished !== undefined) {
    await deedBegins(unfinished);
    const { resume } = await import("./resume.ts");
    return resume(unfinished, options);
  }
  if (!options.json) await warnOfNames(project, config, name);
  if (options.queue) {
    await deedBegins();
    const { enqueue } = await import("../../app/fleet/enqueue.ts");
    const { sayEnqueued } = await import("../fleet/enqueued.ts");
    return sayEnqueued(
      await enqueue(project, { config, agent: name, prompt, origin, ...placeIn(options) }),
      options,
    );
  }
  const elsewhere = options.detach ?? false;
  const wanted = { config, agent: name, prompt, origin, elsewhere, begins: deedBegins };
  await using job = await startJob(project, wanted);
  return await runHereOrDetached(project, job, options);
}

/** On a terminal, asks about a job that has begun the same work item. Elsewhere the new job says which one that is. */
async function jobToContinue(
  project: Project,
  config: Config,
  agent: string | undefined,
  { workItem, json }: RunOptions,
): Promise<string | undefined> {
  if (!workItem || json || !process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const { unfinishedOn } = await import("../../app/jobs/unfinished.ts");
  const job = await unfinishedOn(project, config, { agent, workItem });
  if (!job) return undefined;
  printWords(
    `${job.id} has already started ${oneLine(workItem)} and is ${job.status}: ${oneLine(job.error ?? "")}`,
  );
  const answer = await answerTo("Continue that one instead of starting another? [Y/n] ");
  return /^(?:y(?:es)?)?$/i.test(answer) ? job.id : undefined;
}

function originOf({ epic, workItem, title, schedule }: RunOptions) {
  if (title !== undefined && workItem === undefined) {
    throw new UsageError("--title is the title of a work item. Name that too, with --work-item <id>.");
  }
  return {
    ...(epic && { epic }),
    ...(workItem && { workItem: { id: workItem, ...(title && { title }) } }),
    ...(schedule && { schedule }),
  };
}
