import { nearest } from "../util/nearest.ts";
import type { AgentConfig, Config } from "./config.ts";

export class UnknownAgentError extends Error {
  override readonly name = "UnknownAgentError";
  readonly agent: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;

  constructor(agent: string, known: readonly string[], path: string | undefined) {
    const close = nearest(agent, known);
    const where = path === undefined ? "and there is no baton.yaml" : `in ${path}`;
    const hint = close === undefined ? "" : `\n  did you mean "${close}"?`;
    super(`there is no agent named "${agent}" ${where}${hint}\n  agents: ${known.join(", ")}`);
    this.agent = agent;
    this.known = known;
    this.nearest = close;
  }
}

/** The agent of that name, or the first one where no name is given. */
export function agentNamed(config: Config, name?: string): AgentConfig {
  const agent =
    name === undefined ? config.agents[0] : config.agents.find((candidate) => candidate.name === name);
  if (agent) return agent;
  const known = config.agents.map((candidate) => candidate.name);
  throw new UnknownAgentError(name ?? "", known, config.path);
}
