import { randomUUID } from "node:crypto";
import { claude } from "../src/agents/claude/claude.ts";
import { type Box, openBox } from "../src/box/box.ts";
import type { BoxConfig, EngineName } from "../src/config/box-config.ts";
import { onPath } from "../src/processes/on-path.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { IMAGE, PLAIN_BOX, podmanSetting } from "../test/box-image.ts";
import { type Measure, median } from "./measure.ts";
import { type BenchProject, freshProject } from "./project.ts";

const ROUNDS = 7;

const CONFIG: BoxConfig = { ...PLAIN_BOX, image: IMAGE };

/** A session's start in a container that is there already, as each session of a job meets it, against one without. */
export async function measureContainers(): Promise<Measure[]> {
  const engines = (["podman", "bwrap"] as const).filter((engine) => onPath(engine, process.env));
  await using simulator = await startSimulator({
    name: "one answer",
    summary: "",
    otherwise: { say: "Hello." },
  });
  await using project = await freshProject(simulator);
  Object.assign(project.env, engines.includes("podman") ? podmanSetting() : {});
  const boxes = await Promise.all(
    engines.map(async (engine) => ({ engine, box: await boxFor(engine, project) })),
  );
  const plain: number[] = [];
  const inside = new Map<EngineName, number[]>(engines.map((engine) => [engine, []]));
  for (let round = -1; round < ROUNDS; round++) {
    const alone = await firstAnswer(project);
    if (round >= 0) plain.push(alone);
    for (const { engine, box } of boxes) {
      const boxed = await firstAnswer(project, box);
      if (round >= 0) inside.get(engine)?.push(boxed);
    }
  }
  for (const { box } of boxes) await box.close();
  return engines.map((engine) => ({
    name: `containers-${engine}`,
    value: median(inside.get(engine) ?? []) / median(plain),
    unit: "ratio",
    limit: 1.3,
    detail: {
      compared: `start of a session to its first answer, in ${engine} / without a container`,
      insideMs: median(inside.get(engine) ?? []),
      plainMs: median(plain),
      sessions: ROUNDS,
    },
  }));
}

function boxFor(engine: EngineName, { folder, env }: BenchProject): Promise<Box> {
  if (!claude.boxNeeds) throw new Error("Claude Code runs in no container.");
  return openBox({
    ...{ config: CONFIG, engine, job: "bench", project: folder, cwd: folder, outside: env, named: [] },
    needs: claude.boxNeeds({ env, cwd: folder, prices: {} }),
    readable: [],
    hidden: [],
    network: CONFIG.network,
    limitUsd: undefined,
    onDenied: () => {},
    signal: new AbortController().signal,
  });
}

/** In milliseconds; the end of the session does not count. */
async function firstAnswer({ folder, env }: BenchProject, box?: Box): Promise<number> {
  const start = performance.now();
  const session = claude.start({
    ...{ sessionId: randomUUID(), resume: false, cwd: folder, env, allowedTools: [], deniedTools: [] },
    ...{ mcpServers: {}, ownTools: { names: [], load: async () => [] } },
    ...{ autoCompact: false, readsRepository: true },
    ...(box && { box }),
  });
  session.send({ text: "Say hello.", verbatim: true });
  const answered = Promise.withResolvers<void>();
  const heard = (async () => {
    for await (const { type } of session.events) if (type === "response") answered.resolve();
    answered.reject(new Error("The session ended without an answer."));
  })();
  try {
    await answered.promise;
    return performance.now() - start;
  } finally {
    await session.close();
    await heard;
  }
}
