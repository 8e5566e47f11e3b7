import { UnknownAgentError } from "../../config/agent-named.ts";

interface Known {
  agents: readonly { name: string }[];
  path?: string;
}

/** What to refuse a name with that no agent has. It says which one is nearest. */
export function unknownAgent(name: string, { agents, path }: Known): UnknownAgentError {
  const known = agents.map((agent) => agent.name);
  return new UnknownAgentError(name, known, path);
}
