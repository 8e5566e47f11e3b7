import type { EngineName } from "../config/box-config.ts";
import { onPath } from "../processes/on-path.ts";
import { liveness } from "../processes/owner.ts";
import { run } from "../processes/run.ts";
import { FORMATS, type LabelledContainer, ofBaton, ofJob, readLabelled } from "./labels.ts";

type WithContainers = Exclude<EngineName, "bwrap">;

const WITH_CONTAINERS: readonly WithContainers[] = ["podman", "docker"];
/** Podman would wait for them to end by themselves. */
const REMOVE = { podman: ["rm", "--force", "--time", "0"], docker: ["rm", "--force"] };

/** Removes the containers that earlier owners of a job left, if an engine was slower than their end. */
export async function removeBoxesOf(job: string, env: Record<string, string>): Promise<void> {
  for (const engine of enginesHere(env)) {
    const left = await labelled(engine, ofJob(job), env);
    await remove(
      engine,
      left.map(({ id }) => id),
      env,
    );
  }
}

/** A container whose owner is dead, for certain, and that is there all the same. */
export interface LeftBox extends LabelledContainer {
  engine: WithContainers;
}

/** What Baton made here for processes of this machine that have ended. Of others it knows nothing. */
export async function boxesLeft(env: Record<string, string>): Promise<LeftBox[]> {
  const found = await Promise.all(
    enginesHere(env).map(async (engine) =>
      (await labelled(engine, ofBaton, env)).map((each) => ({ ...each, engine })),
    ),
  );
  return found.flat().filter(({ owner }) => liveness(owner) === "dead");
}

export async function removeBoxes(boxes: readonly LeftBox[], env: Record<string, string>): Promise<void> {
  for (const engine of WITH_CONTAINERS) {
    const ids = boxes.filter((box) => box.engine === engine).map(({ id }) => id);
    await remove(engine, ids, env);
  }
}

function enginesHere(env: Record<string, string>): WithContainers[] {
  return WITH_CONTAINERS.filter((engine) => onPath(engine, env) !== undefined);
}

async function labelled(
  engine: WithContainers,
  filter: string,
  env: Record<string, string>,
): Promise<LabelledContainer[]> {
  const { ok, stdout } = await run(engine, ["ps", "--all", "--filter", filter, "--format", FORMATS[engine]], {
    env,
  });
  // An engine that does not answer has none that could be removed.
  return ok ? readLabelled(stdout) : [];
}

async function remove(
  engine: WithContainers,
  ids: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  if (ids.length > 0) await run(engine, [...REMOVE[engine], ...ids], { env });
}
