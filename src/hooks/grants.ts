import type { AgentConfig } from "../config/config.ts";
import type { Grants } from "../secrets/command-environment.ts";

/** What an agent's configuration gives to the commands that run for it. */
export function grantsOf({ env, workspace }: Pick<AgentConfig, "env" | "workspace">): Grants {
  return { named: Object.keys(env), prefix: workspace.envPrefix };
}
