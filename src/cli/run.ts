import { newJobId } from "../jobs/id.ts";
import { exitCodeOf } from "./exit.ts";
import { configOf, findProject, openProjectStore } from "./project.ts";
import { whatToRun } from "./prompt.ts";
import { readyAgent } from "./ready.ts";
import { startAhead } from "./start-ahead.ts";

export interface RunOptions {
  config?: string;
  promptFile?: string;
  epic?: string;
  json?: boolean;
}

export async function run(words: string[], options: RunOptions): Promise<number> {
  const project = findProject(options);
  const config = await configOf(project);
  const { agent: name, prompt } = await whatToRun(words, options.promptFile, config);
  const agent = await readyAgent(config, name);
  const id = newJobId();
  await using ahead = await startAhead(agent, id);
  const [{ drive }, { newJob }] = await Promise.all([import("./drive.ts"), import("../jobs/new-job.ts")]);
  await using store = await openProjectStore(project);
  const { epic } = options;
  await newJob(store, { ...config, ...(epic && { epic }) }, agent, prompt, id);
  const job = await drive({
    store,
    config: agent,
    job: id,
    json: options.json ?? false,
    prestarted: ahead.prestarted,
  });
  if (!options.json) {
    const { printEnd } = await import("./display/job-end.ts");
    printEnd(job);
  }
  return exitCodeOf(job.status);
}
