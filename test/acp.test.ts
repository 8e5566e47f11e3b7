import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { Baton, ofType, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";
import { needs, PROGRAMS } from "./needs.ts";
import { agentCommand, agentProcesses, agentProgram, isRunning } from "./processes.ts";
import { provesHandoffs, provesJobs } from "./runtime-jobs.ts";

const PATH = [PROGRAMS, process.env.PATH].join(delimiter);
const CLAUDE = `runtime: acp\ncommand: claude-agent-acp\nsession: { ${smallWindows}, retry_backoff: 100ms }`;

it("continues a job whose agent died behind claude-agent-acp, which itself lives on", {
  tags: ["claude"],
}, async () => {
  needs("claude-agent-acp");
  const scenario = careful(3, onceAfter(1, { call: bash("tail -f /dev/null", "Wait") }));
  const theirs = `{ command: sh, args: ["-c", "touch \\"$HOME/theirs\\""], env: { THEIR_SECRET: swordfish } }`;
  const project = await testProject({
    scenario,
    agent: `${CLAUDE}\nmcp_servers: { theirs: ${theirs} }`,
    env: { PATH },
  });
  const running = new Baton(project, RUN);
  const command = await agentCommand(running, "tail -f /dev/null");
  const program = await agentProgram(running);
  const processes = await agentProcesses(running);
  const claude = processes.find(({ parent }) => parent === program.pid);
  // Everybody on the machine can read a command line.
  expect(processes.filter(({ command }) => /swordfish|Bearer \S/.test(command))).toEqual([]);
  process.kill(claude?.pid ?? 0, "SIGKILL");
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(ofType(running.events, "session:starting").map(({ mode }) => mode)).toEqual(["fresh", "resumed"]);
  expect(await isRunning(command.pid)).toBe(false);
  expect(await stepsDone(project)).toEqual(upTo(3));
  expect(existsSync(join(project.env.HOME ?? "", "theirs"))).toBe(true);
  const costs = ofType(running.events, "cost").map(({ costUsd }) => costUsd);
  expect(Math.min(...costs)).toBeGreaterThan(0);
  const [started] = ofType(running.events, "session:started");
  expect(started).toMatchObject({ program: expect.stringMatching(/^claude-agent-acp \d/) });
});

provesHandoffs({
  name: "claude-agent-acp",
  steps: 12,
  async project(scenario, session) {
    needs("claude-agent-acp");
    const agent = `runtime: acp\ncommand: claude-agent-acp\nsession: { ${session} }`;
    return testProject({ scenario, agent, env: { PATH } });
  },
});

provesJobs({
  name: "codex-acp",
  overflowFactor: 70,
  limits: "untold",
  async project(scenario, session) {
    needs("codex-acp");
    const agent = `runtime: acp\ncommand: codex-acp\nmodel: ${CODEX_MODEL}\npermission_mode: bypassPermissions\nsession: { ${session} }`;
    const project = await testProject({ scenario, agent });
    Object.assign(project.env, codexEnvironment(project.simulator, join(project.env.HOME ?? "", "codex")));
    return project;
  },
});
