import { ownEnvironment } from "../../agents/own-environment.ts";
import { resolveAgent, resolveMaintenance } from "../../config/layers/resolve.ts";
import { newJob } from "../../jobs/new-job.ts";
import { openProjectStore } from "../project.ts";
import { type ReadyJob, readyIn } from "./ready-job.ts";

interface Trial {
  /** The folder that the agent works in. */
  root: string;
  home: string;
  agent: { name: string; settings: Parameters<typeof resolveAgent>[1] };
  prompt: string;
  /** Added to this process's own: which model the agent talks to. */
  env: Record<string, string>;
}

/** A job whose settings come from a program in place of a file, on a model of that program's own. */
export async function trialJob({ root, home, agent, prompt, env }: Trial): Promise<ReadyJob> {
  const config = resolveAgent(agent.name, agent.settings, { root, home });
  return readyIn(await openProjectStore({ root }), async (store) => ({
    config,
    maintenance: resolveMaintenance(),
    job: await newJob(store, {}, config, prompt),
    env: { ...ownEnvironment(), ...env },
  }));
}
