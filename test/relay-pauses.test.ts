import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import {
  baton,
  inSmallWindows,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
const PAUSED = 3;

async function changeConfig({ folder }: TestProject, before: string, after: string): Promise<void> {
  const path = join(folder, "baton.yaml");
  await writeFile(path, (await readFile(path, "utf8")).replace(before, after));
}

async function resumed(project: TestProject) {
  const { id } = await shown(project);
  return baton(project, ["resume", id, "--json"]);
}

it("pauses when the handoffs are used up, and goes on from the last one when it is resumed", async () => {
  const project = await testProject({
    scenario: inSmallWindows(11),
    agent: `session: { ${smallWindows}, max_handoffs_per_job: 1 }`,
  });
  expect((await baton(project, RUN)).code).toBe(PAUSED);
  const paused = await shown(project);
  expect(paused).toMatchObject({ status: "paused", error: expect.stringContaining("max_handoffs_per_job") });
  expect(paused.sessions).toHaveLength(2);
  expect(paused.handoffs).toMatchObject([{ source: "agent" }, { source: "agent", toSession: null }]);

  const again = await resumed(project);
  expect(again.code).toBe(0);
  expect(ofType(again.events, "session:starting")).toMatchObject([{ ordinal: 3, mode: "continuation" }]);
  const job = await shown(project);
  expect(job).toMatchObject({ status: "completed" });
  expect(job.handoffs[1].toSession).toBe(job.sessions[2].id);
  expect(await stepsDone(project)).toEqual(upTo(11));
});

it("pauses when a new session starts above half of its threshold", async () => {
  const project = await testProject({
    scenario: steady({ steps: 8, factor: 5, outputCharacters: 8_000 }),
    agent: "session: { context_threshold: 40000 }",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(PAUSED);
  expect(ofType(events, "job:paused")).toMatchObject([{ code: "thrash" }]);
  const job = await shown(project);
  expect(job.error).toMatch(/more than half of the 40,000/);
  expect(job.sessions).toMatchObject([{ endReason: "handoff" }, { endReason: "paused", turns: 1 }]);
});

it("pauses when two handoffs have fewer than three turns between them", async () => {
  const project = await testProject({
    scenario: steady({ steps: 8, factor: 10, outputCharacters: 27_000 }),
    agent: "session: { context_threshold: 80000 }",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(PAUSED);
  expect(ofType(events, "job:paused")).toMatchObject([{ code: "thrash" }]);
  const job = await shown(project);
  expect(job.error).toMatch(/2 turns after the last handoff/);
  expect(job.handoffs).toHaveLength(2);
});

it("pauses after the user's own number of turns, and has as many again when it is resumed", async () => {
  const project = await testProject({ scenario: steady({ steps: 4 }), agent: "limits: { turns: 3 }" });
  expect((await baton(project, RUN)).code).toBe(PAUSED);
  const paused = await shown(project);
  expect(paused.error).toMatch(/3 turns, and limits.turns is 3/);
  expect(paused.sessions).toMatchObject([{ endReason: "paused", turns: 3 }]);
  expect(await stepsDone(project)).toEqual(upTo(3));

  expect((await resumed(project)).code).toBe(0);
  expect((await shown(project)).sessions).toMatchObject([{ endReason: "completed", turns: 5 }]);
  expect(await stepsDone(project)).toEqual(upTo(4));
});

it("pauses at the user's own limit of cost, and goes on when that is raised", async () => {
  const project = await testProject({
    scenario: steady({ steps: 5, factor: 10, outputCharacters: 4_000 }),
    agent: "limits: { cost_usd: 0.1 }",
  });
  expect((await baton(project, RUN)).code).toBe(PAUSED);
  const paused = await shown(project);
  expect(paused.error).toMatch(/limits.cost_usd is 0.1/);
  expect(paused.error).toMatch(/^The job has cost a simulated \$/);
  expect(paused.simulatedCostUsd).toBeGreaterThanOrEqual(0.1);

  await changeConfig(project, "0.1", "20");
  expect((await resumed(project)).code).toBe(0);
  expect((await shown(project)).sessions).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(5));
});

it("lets the running tool finish when the user's limit of time is reached", async () => {
  const slow: Rule = {
    when: ({ turns }) => turns === 0,
    reply: { call: { tool: "Bash", input: { command: "sleep 2; echo slept", description: "Sleep" } } },
    times: 1,
  };
  const project = await testProject({
    scenario: { ...steady({ steps: 1 }), rules: [slow] },
    agent: "limits: { duration: 2s }",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(PAUSED);
  expect(ofType(events, "tool:end")).toMatchObject([{ ok: true, output: expect.stringContaining("slept") }]);
  expect((await shown(project)).error).toMatch(/limits.duration is 2 s/);

  await changeConfig(project, "2s", "10m");
  expect((await resumed(project)).code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(1));
});
