import { scheduleNamed } from "../fleet/schedules.ts";
import { trustedAgent } from "../jobs/ready.ts";
import { configOf } from "../project.ts";
import type { ServedProject } from "./projects.ts";

/** What a schedule asks of its agent. */
export async function schedulePrompt(
  { project }: ServedProject,
  agent: string,
  name: string,
): Promise<string | undefined> {
  return scheduleNamed(await trustedAgent(await configOf(project), agent), name).prompt;
}
