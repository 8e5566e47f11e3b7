import { startJob } from "../../app/jobs/start.ts";
import { configOf, findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { agreeFirst } from "../config/agree.ts";
import { exitCodeOf } from "../exit.ts";
import { whatToRun } from "./prompt.ts";

export interface RunOptions {
  config?: string;
  promptFile?: string;
  epic?: string;
  workItem?: string;
  title?: string;
  schedule?: string;
  json?: boolean;
}

export async function run(words: string[], options: RunOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const config = await configOf(project);
  const { agent: name, prompt } = await whatToRun(words, options.promptFile, config);
  const origin = originOf(options);
  await using job = await startJob(project, { config, agent: name, prompt, origin });
  const { drive } = await import("./drive.ts");
  const ended = await drive(job, { json: options.json ?? false });
  if (!options.json) {
    const { printEnd } = await import("../../display/job-end.ts");
    printEnd(ended);
  }
  return exitCodeOf(ended.status);
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
