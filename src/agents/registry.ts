import type { Runtime } from "../config/runtimes/runtimes.ts";
import type { Agent } from "./agent.ts";

/** One adapter a runtime, loaded when a job first needs it. */
export const adapters: Record<Runtime, () => Promise<Agent>> = {
  claude: async () => (await import("./claude/claude.ts")).claude,
  "claude-cli": async () => (await import("./claude/cli/claude-cli.ts")).claudeCli,
  pi: async () => (await import("./pi/pi.ts")).pi,
};

export function agentFor({ runtime }: { runtime: Runtime }): Promise<Agent> {
  return adapters[runtime]();
}
