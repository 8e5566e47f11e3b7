import { enqueue } from "../../app/fleet/enqueue.ts";
import { scheduleNamed } from "../../app/fleet/schedules.ts";
import { trustedAgent } from "../../app/jobs/ready.ts";
import { configOf, findProject } from "../../app/project.ts";
import type { Config } from "../../config/config.ts";
import { agreeFirst } from "../config/agree.ts";
import { sayEnqueued } from "./enqueued.ts";
import { type PlaceOptions, placeIn } from "./place.ts";

export interface TriggerOptions extends PlaceOptions {
  config?: string;
  json?: boolean;
  prompt?: string;
  schedule?: string;
}

/** Puts a job of an agent into the queue. */
export async function trigger(agent: string, options: TriggerOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const config = await configOf(project);
  const { schedule } = options;
  const prompt =
    options.prompt ?? (schedule === undefined ? undefined : await promptOf(config, agent, schedule));
  const origin = schedule === undefined ? {} : { schedule };
  const enqueued = await enqueue(project, { config, agent, prompt, origin, ...placeIn(options) });
  return sayEnqueued(enqueued, options);
}

async function promptOf(config: Config, agent: string, schedule: string): Promise<string | undefined> {
  return scheduleNamed(await trustedAgent(config, agent), schedule).prompt;
}
