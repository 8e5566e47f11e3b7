import { configOf, findProject, openProjectStore } from "../../app/project.ts";
import { readyAgent } from "../../app/ready.ts";
import { canStartAhead, startAhead } from "../../app/start-ahead.ts";
import { UsageError } from "../../app/usage-error.ts";
import { newJobId } from "../../job/id.ts";
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
  const config = await configOf(project);
  const { agent: name, prompt } = await whatToRun(words, options.promptFile, config);
  const agent = await readyAgent(config, name);
  const id = newJobId();
  await using ahead = canStartAhead(agent) ? await startAhead(agent, id) : undefined;
  const [{ drive }, { newJob }] = await Promise.all([import("./drive.ts"), import("../../jobs/new-job.ts")]);
  await using store = await openProjectStore(project);
  await newJob(store, { ...config, ...originOf(options) }, agent, prompt, id);
  const job = await drive({
    store,
    config: agent,
    maintenance: config.maintenance,
    job: id,
    json: options.json ?? false,
    ...(ahead && { ahead }),
  });
  if (!options.json) {
    const { printEnd } = await import("../../display/job-end.ts");
    printEnd(job);
  }
  return exitCodeOf(job.status);
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
