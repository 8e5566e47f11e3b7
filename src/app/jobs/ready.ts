import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { checkPaths } from "../../config/check-paths.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { UsageError } from "../usage-error.ts";

/** The agent to run, once everything that would stop it at once has been looked at. */
export async function readyAgent(
  config: Config,
  name?: string,
  base: Record<string, string> = ownEnvironment(),
): Promise<AgentConfig> {
  const named = agentNamed(config, name);
  checkPaths(config, named);
  const { passGate } = await import("../trust/gate.ts");
  const agent = passGate(config, named);
  const { executable } = agent;
  const readiness = await (await agentFor(agent)).ready({
    env: { ...base, ...agent.env },
    ...(executable !== undefined && { executable }),
  });
  switch (readiness.state) {
    case "ready":
      return agent;
    case "no-program":
      throw new UsageError(`${readiness.problem}\n${readiness.fix}`);
    case "no-credentials":
      throw new UsageError(
        `${readiness.problem}\n${readiness.fix} To try Baton without an account: \`baton demo\`.`,
      );
  }
}
