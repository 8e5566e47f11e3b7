import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { checkPaths } from "../../config/check-paths.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { halted } from "../../files/halt.ts";
import { localMinute } from "../../util/time.ts";
import { UsageError } from "../usage-error.ts";

/** The agent to run, once everything that would stop it at once has been looked at, and with it all that stand in for it. */
export async function readyAgent(
  config: Config,
  name?: string,
  base: Record<string, string> = ownEnvironment(),
): Promise<AgentConfig> {
  refuseHalted();
  const agent = await trustedAgent(config, name);
  await refuseAnyUnready(agent, base);
  return agent;
}

export async function refuseAnyUnready(agent: AgentConfig, base: Record<string, string>): Promise<void> {
  for (const each of [agent, ...(agent.standIns ?? [])]) await refuseUnready(each, base, each !== agent);
}

/** Another agent of the configuration, ready to run a job of `first`. */
export async function readyStandIn(
  config: Config,
  first: AgentConfig,
  name: string,
  base: Record<string, string> = ownEnvironment(),
): Promise<AgentConfig> {
  const standIn = await trustedStandIn(config, first, name);
  await refuseUnready(standIn, base, true);
  return standIn;
}

export async function refuseUnready(
  agent: AgentConfig,
  base: Record<string, string>,
  isStandIn = false,
): Promise<void> {
  const { executable } = agent;
  const program = await agentFor(agent);
  const readiness = await program.ready({
    env: { ...base, ...agent.env },
    where: async () =>
      (await repositoryAccess(program, agent.workingDirectory)).reads ? agent.workingDirectory : undefined,
    ...(executable !== undefined && { executable }),
  });
  const whose = isStandIn ? `The agent "${agent.name}" could not take over. ` : "";
  switch (readiness.state) {
    case "ready":
      if (agent.box) {
        const { refuseUnfitBox } = await import("../containers/ready.ts");
        await refuseUnfitBox(agent, program, { ...base, ...agent.env });
      }
      return;
    case "no-program": {
      const { programPlace: place } = agent;
      const { problem, fix } = readiness;
      if (place) throw new ConfigError([{ ...place, message: `${whose}${problem}`, fix }]);
      throw new UsageError(`${whose}${problem}\n${fix}`);
    }
    case "no-credentials":
      throw new UsageError(
        `${whose}${readiness.problem}\n${readiness.fix} To try Baton without an account: \`baton demo\`.`,
      );
  }
}

/** `baton halt` forbids every start, until `baton unhalt`. */
export function refuseHalted(): void {
  const halt = halted();
  if (!halt) return;
  throw new UsageError(
    `All work has been halted since ${localMinute(new Date(halt.since))}, by ${halt.by}: nothing starts. Allow it again with: baton unhalt`,
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
  const { fallback } = agent.session;
  if (fallback.length === 0) return agent;
  const standIns = await Promise.all(fallback.map((other) => trustedStandIn(config, agent, other)));
  return { ...agent, standIns };
}

/** What its files and keys do passes the same gate. */
async function trustedStandIn(config: Config, first: AgentConfig, name: string): Promise<AgentConfig> {
  const other = agentNamed(config, name);
  checkPaths(config, other);
  const [{ passGate }, { standingIn, withOwnModel }] = await Promise.all([
    import("../trust/gate.ts"),
    import("../../config/stand-ins.ts"),
  ]);
  const standIn = passGate(config, standingIn(first, withOwnModel(other, config)));
  if (config.chosen) {
    const { refuseUnhonoured } = await import("./chosen.ts");
    refuseUnhonoured(config.chosen, standIn);
  }
  return standIn;
}
