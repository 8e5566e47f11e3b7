import type { AgentConfig } from "../config/config.ts";
import type { Runtime } from "../config/runtimes/runtimes.ts";
import type { Agent } from "./agent.ts";

/** Which program an agent runs on. */
type Chosen = Pick<AgentConfig, "runtime" | "command">;

/** One adapter a runtime, loaded when a job first needs it. */
export const adapters: Record<Runtime, (chosen?: Pick<Chosen, "command">) => Promise<Agent>> = {
  claude: async () => (await import("./claude/claude.ts")).claude,
  "claude-cli": async () => (await import("./claude/cli/claude-cli.ts")).claudeCli,
  codex: async () => (await import("./codex/codex.ts")).codex,
  pi: async () => (await import("./pi/pi.ts")).pi,
  acp: async ({ command } = {}) => (await import("./acp/acp.ts")).acpAgent(command),
};

export function agentFor({ runtime, ...chosen }: Chosen): Promise<Agent> {
  return adapters[runtime](chosen);
}
