import { join } from "node:path";
import type { JournalEvent } from "../src/job/events.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { lastDone, steady } from "../src/simulator/scenarios/steady.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { CODEX_MODEL, codexEnvironment } from "../test/codex-home.ts";
import { CODEX } from "../test/needs.ts";
import { type Measure, median } from "./measure.ts";
import { baton, jsonLines, MODEL, run } from "./programs.ts";
import { freshProject } from "./project.ts";

const ROUNDS = 4;
const RESETS_AT = Math.ceil(Date.now() / 1_000) + 3_600;
const AGENTS = `    session: { on_limit: switch, fallback: [codex] }
  - name: codex
    runtime: codex
    model: ${CODEX_MODEL}
    permission_mode: bypassPermissions
`;

/** From Claude Code's usage limit to Codex's first request in the same job, against starting Codex alone. */
export async function measureSwitch(): Promise<Measure> {
  const [announced, sudden, alone]: number[][] = [[], [], []];
  for (let round = -1; round < ROUNDS; round++) {
    const figures = [await switched(true), await switched(false), await codexAlone()] as const;
    if (round < 0) continue;
    announced?.push(figures[0]);
    sudden?.push(figures[1]);
    alone?.push(figures[2]);
  }
  const coldStartMs = median(alone ?? []);
  return {
    name: "switch",
    value: median(announced ?? []) / coldStartMs,
    unit: "ratio",
    limit: 1,
    detail: {
      compared:
        "answer that says that a limit is reached to the first request of Codex, which was started when the limit was near / start of codex exec to its first request",
      switchMs: median(announced ?? []),
      withoutWarningMs: median(sudden ?? []),
      coldStartMs,
      switches: announced?.length ?? 0,
    },
  };
}

async function switched(isAnnounced: boolean): Promise<number> {
  await using simulator = await startSimulator(limited(isAnnounced));
  await using project = await freshProject(simulator, AGENTS, { account: "plan" });
  Object.assign(project.env, codexEnvironment(simulator, join(project.env.HOME ?? "", "codex")));
  const events = jsonLines<JournalEvent>(
    await run(baton("run", "coder", "Do the steps.", "--json"), project),
  );
  if (!events.some(({ type }) => type === "agent:switched")) throw new Error("The job did not switch.");
  const limit = simulator.requests.find(({ status }) => status === 429);
  const first = simulator.requests.find(({ request }) => request.model === CODEX_MODEL);
  return (first?.startedAt ?? Number.NaN) - (limit?.endedAt ?? Number.NaN);
}

function limited(isAnnounced: boolean): Scenario {
  const work = steady({ steps: 3, look: true });
  const isClaude = ({ kind, model }: { kind: string; model: string }) =>
    kind === "main" && model.startsWith(MODEL);
  return {
    ...work,
    rules: [
      {
        when: (request) => isClaude(request) && lastDone(request) >= 1,
        reply: { fault: { kind: "usage-limit", resetsAt: RESETS_AT } },
      },
      {
        when: (request) => isClaude(request) && isAnnounced,
        async reply(request) {
          const { otherwise } = work;
          const reply = typeof otherwise === "function" ? await otherwise(request) : otherwise;
          // A real model works for longer after it was warned.
          return { ...reply, limitNear: RESETS_AT, delayMs: 500 };
        },
      },
    ],
  };
}

async function codexAlone(): Promise<number> {
  await using simulator = await startSimulator({ name: "one answer", summary: "It is done at once." });
  await using project = await freshProject(simulator);
  Object.assign(project.env, codexEnvironment(simulator, join(project.env.HOME ?? "", "codex")));
  const start = performance.timeOrigin + performance.now();
  const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Say it."];
  await run({ command: CODEX, args }, project);
  const first = simulator.requests.find(({ request }) => request.model === CODEX_MODEL);
  return (first?.startedAt ?? Number.NaN) - start;
}
