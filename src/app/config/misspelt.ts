import { agentFor } from "../../agents/registry.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import type { Problem } from "../../config/error.ts";
import type { Written } from "../../config/layers/read-sources.ts";
import { loadWritten } from "../../config/load.ts";
import { namesWritten } from "../../config/names-written.ts";
import { placeOf } from "../../config/yaml/source.ts";
import { oneLine } from "../../util/printable.ts";
import type { Project } from "../project.ts";

/** Names of models and tools that are most likely misspelt, each once, however many agents share it. */
export async function misspelt(config: Config, written: Written): Promise<Problem[]> {
  const found = new Map<string, Problem>();
  for (const agent of config.agents) {
    const layers = written.agents.find(({ name }) => name === agent.name);
    const names = layers ? namesWritten(layers) : [];
    // The adapter takes longer to load than all else that a check does.
    if (names.length === 0) continue;
    const { vocabulary } = await agentFor(agent);
    for (const { kind, text, span } of names) {
      const meant = vocabulary.meant?.(kind, text);
      if (meant === undefined) continue;
      const message = `Baton knows no ${kind} named "${oneLine(text)}"`;
      const problem = { ...placeOf(span), message, fix: didYouMean(meant) };
      found.set(`${problem.file}:${problem.line}:${problem.column}`, problem);
    }
  }
  return [...found.values()];
}

/** The same before a job of this agent. The files are only looked at again where there is something to tell. */
export async function misspeltFor(project: Project, config: Config, name?: string): Promise<Problem[]> {
  const agents = config.agents.filter((agent, index) =>
    name === undefined ? index === 0 : agent.name === name,
  );
  const [agent] = agents;
  if (!agent) return [];
  const { vocabulary } = await agentFor(agent);
  const isMisspelt =
    (agent.model !== undefined && vocabulary.meant?.("model", agent.model) !== undefined) ||
    [...agent.allowedTools, ...agent.deniedTools].some(
      (tool) => vocabulary.meant?.("tool", tool) !== undefined,
    );
  return isMisspelt ? misspelt({ ...config, agents }, loadWritten(project)) : [];
}

/** Of a model that was chosen on the command line. Undefined where it is most likely no mistake. */
export async function misspeltModel(agent: AgentConfig, model: string): Promise<string | undefined> {
  const { vocabulary } = await agentFor(agent);
  const meant = vocabulary.meant?.("model", model);
  return meant === undefined ? undefined : `Baton knows no such model; ${didYouMean(meant)}`;
}

function didYouMean(meant: string): string {
  return `did you mean "${oneLine(meant)}"?`;
}
