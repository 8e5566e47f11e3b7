import { join } from "node:path";
import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import { Baton, shown, smallWindows, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";
import { needs } from "./needs.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";
import { agentCommand, agentProgram, isRunning } from "./processes.ts";
import { provesJobs } from "./runtime-jobs.ts";

async function piProject(scenario: Scenario, session: string): Promise<TestProject> {
  needs("pi");
  const agent = `runtime: pi\nmodel: ${PI_MODEL}\nsession: { ${session} }`;
  const project = await testProject({ scenario, agent });
  Object.assign(project.env, piEnvironment(project.simulator, join(project.env.HOME ?? "", "pi")));
  return project;
}

// Its own prompt is the shortest: the third window begins later.
provesJobs({ name: "pi", steps: 16, project: piProject });

it("starts a killed pi again by itself, in the same session, with its command dead", {
  tags: ["claude"],
}, async () => {
  const wait = onceAfter(1, { call: bash("tail -f /dev/null", "Wait") });
  const project = await piProject(careful(3, wait), `${smallWindows}, retry_backoff: 100ms`);
  const running = new Baton(project, RUN);
  const command = await agentCommand(running, "tail -f /dev/null");
  process.kill((await agentProgram(running)).pid, "SIGKILL");
  await running.event((event) => event.type === "session:starting" && event.mode === "resumed");
  expect(await isRunning(command.pid)).toBe(false);
  expect(await running.exit).toMatchObject({ code: 0 });
  expect((await shown(project)).sessions).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(3));
});
