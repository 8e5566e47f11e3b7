import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { Baton, baton, ofType, shown, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";
import { needs, PROGRAMS } from "./needs.ts";
import { agentCommand, agentProcesses, agentProgram, isRunning } from "./processes.ts";
import { provesJobs } from "./runtime-jobs.ts";

const PATH = [PROGRAMS, process.env.PATH].join(delimiter);
const CLAUDE = `runtime: acp\ncommand: claude-agent-acp\nsession: { ${smallWindows}, retry_backoff: 100ms }`;

/** As a model is that needs longer for an answer than a program for the end of its turn. */
function unhurried({ otherwise, ...scenario }: Scenario): Scenario {
  return {
    ...scenario,
    async otherwise(request) {
      const reply = typeof otherwise === "function" ? await otherwise(request) : otherwise;
      return { ...reply, delayMs: 400 };
    },
  };
}

it("finishes a job of three windows on claude-agent-acp, doing every step once, with what it cost", {
  tags: ["claude"],
}, async () => {
  needs("claude-agent-acp");
  const scenario = unhurried(steady({ steps: 12, factor: 5, outputCharacters: 8_000 }));
  const project = await testProject({ scenario, agent: CLAUDE, env: { PATH } });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const job = await shown(project);
  expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
    "handoff",
    "handoff",
    "completed",
  ]);
  expect(job.handoffs).toMatchObject([{ source: "agent" }, { source: "agent" }]);
  expect(await stepsDone(project)).toEqual(upTo(12));
  expect(ofType(events, "tool:end").every(({ ok }) => ok)).toBe(true);
  expect(ofType(events, "cost").every(({ costUsd }) => costUsd > 0)).toBe(true);
});

it("continues a job whose agent died behind claude-agent-acp, which itself lives on", {
  tags: ["claude"],
}, async () => {
  needs("claude-agent-acp");
  const scenario = careful(3, onceAfter(1, { call: bash("tail -f /dev/null", "Wait") }));
  const project = await testProject({ scenario, agent: CLAUDE, env: { PATH } });
  const running = new Baton(project, RUN);
  const command = await agentCommand(running, "tail -f /dev/null");
  const program = await agentProgram(running);
  const claude = (await agentProcesses(running)).find(({ parent }) => parent === program.pid);
  process.kill(claude?.pid ?? 0, "SIGKILL");
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(ofType(running.events, "session:starting").map(({ mode }) => mode)).toEqual(["fresh", "resumed"]);
  expect(await isRunning(command.pid)).toBe(false);
  expect(await stepsDone(project)).toEqual(upTo(3));
});

provesJobs({
  name: "codex-acp",
  overflowFactor: 70,
  tellsReset: false,
  async project(scenario, session) {
    needs("codex-acp");
    const agent = `runtime: acp\ncommand: codex-acp\nmodel: ${CODEX_MODEL}\npermission_mode: bypassPermissions\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, codexEnvironment(project.simulator, join(project.env.HOME ?? "", "codex")));
    return project;
  },
});
