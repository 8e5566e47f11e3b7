import type { AgentConfig } from "../config/config.ts";
import type { Agent } from "./agent.ts";

/** One adapter a runtime, loaded when a job first needs it. */
export const adapters: Record<AgentConfig["runtime"], () => Promise<Agent>> = {
  claude: async () => (await import("./claude/claude.ts")).claude,
};

export function agentFor({ runtime }: Pick<AgentConfig, "runtime">): Promise<Agent> {
  return adapters[runtime]();
}
