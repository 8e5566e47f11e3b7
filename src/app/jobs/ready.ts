import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { checkPaths } from "../../config/check-paths.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { halted } from "../../files/halt.ts";
import { UsageError } from "../usage-error.ts";

/** The agent to run, once everything that would stop it at once has been looked at. */
export async function readyAgent(
  config: Config,
  name?: string,
  base: Record<string, string> = ownEnvironment(),
): Promise<AgentConfig> {
  refuseHalted();
  const agent = await trustedAgent(config, name);
  const { executable } = agent;
  const program = await agentFor(agent);
  const readiness = await program.ready({
    env: { ...base, ...agent.env },
    where: async () =>
      (await repositoryAccess(program, agent.workingDirectory)).reads ? agent.workingDirectory : undefined,
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

/** `baton halt` forbids every start, until `baton unhalt`. */
export function refuseHalted(): void {
  const halt = halted();
  if (!halt) return;
  throw new UsageError(
    `All work is halted since ${halt.since}, by ${halt.by}: nothing starts. Allow it again with: baton unhalt`,
  );
}

/** The same for a job whose agent has nothing left to do: neither its program nor its credentials are needed. */
export async function trustedAgent(config: Config, name?: string): Promise<AgentConfig> {
  const named = agentNamed(config, name);
  checkPaths(config, named);
  const { passGate } = await import("../trust/gate.ts");
  const agent = passGate(config, named);
  if (config.chosen) {
    const { refuseChosen } = await import("./chosen.ts");
    await refuseChosen(config.chosen, agent);
  }
  return agent;
}
