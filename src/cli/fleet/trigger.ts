import { enqueue } from "../../app/fleet/enqueue.ts";
import { configOf, findProject } from "../../app/project.ts";
import { agreeFirst } from "../config/agree.ts";
import { sayEnqueued } from "./enqueued.ts";
import { type PlaceOptions, placeIn } from "./place.ts";

export interface TriggerOptions extends PlaceOptions {
  config?: string;
  json?: boolean;
  prompt?: string;
}

/** Puts a job of an agent into the queue. */
export async function trigger(agent: string, options: TriggerOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const config = await configOf(project);
  const { prompt } = options;
  const enqueued = await enqueue(project, { config, agent, prompt, origin: {}, ...placeIn(options) });
  return sayEnqueued(enqueued, options);
}
