import { misspeltFor, misspeltModel } from "../../app/config/misspelt.ts";
import type { Project } from "../../app/project.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { printError } from "../../display/print.ts";

/** Before a job of this agent, of what its files say. */
export async function warnOfNames(
  project: Project,
  config: Config,
  agent: string | undefined,
): Promise<void> {
  const warnings = await misspeltFor(project, config, agent);
  if (warnings.length === 0) return;
  const { problemText } = await import("../../app/config/check.ts");
  for (const warning of warnings) printError(`Warning: ${problemText(warning)}\n`);
}

/** Of the model that was typed for this job. */
export async function warnOfModel(
  agent: AgentConfig,
  { model, json }: { model?: string; json?: boolean },
): Promise<void> {
  if (model === undefined || json) return;
  const warning = await misspeltModel(agent, model);
  if (warning !== undefined) printError(`Warning: --model ${model}: ${warning}\n`);
}
