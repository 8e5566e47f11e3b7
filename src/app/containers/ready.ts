import { createServer } from "node:net";
import type { Agent } from "../../agents/agent.ts";
import { engineFor, refuseMissingImage } from "../../box/engine.ts";
import { BoxError } from "../../box/error.ts";
import { refuseUnheldLimits } from "../../box/limits.ts";
import { isDoor } from "../../box/needs.ts";
import type { BoxConfig, BoxPort } from "../../config/box-config.ts";
import type { AgentConfig } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";

/** Refuses an agent whose container could not be made as it is configured. For use before anything starts. */
export async function refuseUnfitBox(
  agent: AgentConfig,
  program: Agent,
  env: Record<string, string>,
): Promise<void> {
  const { box, boxPlaces: places = {} } = agent;
  if (!box) return;
  try {
    await tryBox(box, agent, program, env);
  } catch (error) {
    if (!(error instanceof BoxError)) throw error;
    const place = places[error.key] ?? places.enabled ?? { file: "baton.yaml" };
    throw new ConfigError([{ ...place, message: error.problem, fix: error.fix }]);
  }
}

async function tryBox(
  box: BoxConfig,
  agent: AgentConfig,
  program: Agent,
  env: Record<string, string>,
): Promise<void> {
  const engine = await engineFor(box, env);
  await refuseMissingImage(engine, box, env);
  await refuseUnheldLimits(engine, box, env);
  for (const port of box.ports) await refuseTaken(port);
  const { executable, model, prices, workingDirectory: cwd } = agent;
  const needs = program.boxNeeds?.({
    env,
    cwd,
    prices,
    ...(executable !== undefined && { executable }),
    ...(model !== undefined && { model }),
  });
  const signsInOutside = box.network.kind === "api" || box.network.kind === "allow";
  if (!needs || box.network.kind === "none") return;
  const unfit = signsInOutside ? !isDoor(needs.api) && needs.api : needs.cannotSignIn;
  if (unfit) throw new BoxError(unfit.problem, unfit.fix, "network");
}

async function refuseTaken({ address, outside }: BoxPort): Promise<void> {
  const server = createServer();
  const taken = await new Promise<string | undefined>((resolve) => {
    server.once("error", ({ message }) => resolve(message));
    server.listen(outside, address, () => resolve(undefined));
  });
  if (taken === undefined) {
    await new Promise((resolve) => server.close(resolve));
    return;
  }
  throw new BoxError(`Port ${outside} cannot be had: ${taken}`, "Give another one in docker.ports.", "ports");
}
