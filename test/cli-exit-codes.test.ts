import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, shown, testProject } from "./harness.ts";

it("ends with 0 when the job is completed, and then there is nothing to resume or cancel", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  expect((await baton(project, ["run", "Go"])).code).toBe(0);
  const { id } = await shown(project);
  const resumed = await baton(project, ["resume", id]);
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain("nothing to resume");
  const cancelled = await baton(project, ["cancel", id]);
  expect(cancelled.code).toBe(2);
  expect(cancelled.stderr).toContain("nothing to cancel");
});

it("ends with 0 where there is nothing to look after, and nothing to list", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  // Or it would find what processes left that other tests kill.
  project.env.TMPDIR = join(project.folder, "..");
  const maintained = await baton(project, ["maintain"]);
  expect(maintained).toMatchObject({ code: 0, stdout: "There is nothing to remove.\n" });
  expect((await baton(project, ["run", "Go"])).code).toBe(0);
  expect(await baton(project, ["checkpoints"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^none: /),
  });
});

it("ends with 1 when the job failed, and says why", async () => {
  const agent = "session: { context_threshold: 1000 }\nhandoff: { dir: baton.yaml }";
  const project = await testProject({ scenario: steady({ steps: 3 }), agent });
  const { code, stdout } = await baton(project, ["run", "Go"]);
  expect(code).toBe(1);
  expect(stdout).toContain("✗ failed: ");
  expect(stdout).toMatch(/Continue with: baton resume job-/);
});

it("ends with 3 when the job is paused, and with 0 when it is then resumed to its end", async () => {
  const project = await testProject({ scenario: steady({ steps: 3 }), agent: "limits: { turns: 2 }" });
  const first = await baton(project, ["run", "Go"]);
  expect(first.code).toBe(3);
  expect(first.stdout).toContain("limits.turns is 2");
  const { id } = await shown(project);
  expect((await baton(project, ["resume", id])).code).toBe(0);
});

it("ends with 130 when it is cancelled with Ctrl-C", async () => {
  const scenario = { name: "slow", summary: "", otherwise: { call: bash("sleep 60") } };
  const project = await testProject({ scenario });
  const running = new Baton(project, ["run", "Go", "--json"]);
  await running.event(({ type }) => type === "tool:start");
  running.child.kill("SIGINT");
  expect(await running.exit).toEqual({ code: 130, signal: null });
  expect(running.events.at(-1)).toMatchObject({ type: "job:cancelled" });
});

it("keeps the exit code of a command that it runs against the simulator", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  expect((await baton(project, ["simulate", "steady", "--", "sh", "-c", "exit 7"])).code).toBe(7);
  expect((await baton(project, ["simulate", "steady", "--", "sh", "-c", "kill -9 $$"])).code).toBe(137);
});

function bash(command: string) {
  return { tool: "Bash", input: { command, description: "Wait" } };
}
