import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { ENGINES, tryEngine } from "../../box/engine.ts";
import type { EngineName } from "../../config/box-config.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { messageOf } from "../../util/errors.ts";
import type { Finding } from "../plugin/doctor.ts";
import { refuseUnfitBox } from "./ready.ts";

/** What can put an agent into a container here, tried for real, and whether the agents that are to run in one can. */
export async function containerFindings(config: Config | undefined): Promise<Finding[]> {
  const env = ownEnvironment();
  const engines = await Promise.all(ENGINES.map((engine) => engineFinding(engine, env)));
  const boxed = (config?.agents ?? []).filter(({ box }) => box);
  const agents = await Promise.all(
    boxed.map(async (agent): Promise<Finding> => {
      const name = `container of ${agent.name}`;
      try {
        await refuseUnfitBox(agent, await agentFor(agent), { ...env, ...agent.env });
        return { name, state: "ok", found: agent.box?.image ?? "this machine's own programs" };
      } catch (error) {
        if (!(error instanceof ConfigError)) return { name, state: "fail", found: messageOf(error) };
        const [{ message, fix } = { message: messageOf(error), fix: "" }] = error.problems;
        return { name, state: "fail", found: message, fix };
      }
    }),
  );
  return [...engines, ...agents];
}

async function engineFinding(engine: EngineName, env: Record<string, string>): Promise<Finding> {
  const tried = await tryEngine(engine, env);
  if (tried.works) return { name: engine, state: "ok", found: tried.version };
  const found = tried.isInstalled ? tried.problem : "not installed";
  return { name: engine, state: "absent", found, fix: `With it, agents run in containers: ${tried.fix}.` };
}
