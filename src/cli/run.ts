import { printEnd } from "./display/job-end.ts";
import { exitCodeOf } from "./exit.ts";
import { newJob } from "./new-job.ts";
import { configOf, findProject, openProjectStore } from "./project.ts";
import { whatToRun } from "./prompt.ts";
import { readyAgent } from "./ready.ts";

export interface RunOptions {
  config?: string;
  promptFile?: string;
  json?: boolean;
}

export async function run(words: string[], options: RunOptions): Promise<number> {
  const project = findProject(options);
  const config = await configOf(project);
  const { agent: name, prompt } = await whatToRun(words, options.promptFile, config);
  const agent = await readyAgent(config, name);
  const { drive } = await import("./drive.ts");
  await using store = await openProjectStore(project);
  const id = await newJob(store, project, agent, prompt);
  const job = await drive({ store, config: agent, job: id, json: options.json ?? false });
  if (!options.json) printEnd(job);
  return exitCodeOf(job.status);
}
