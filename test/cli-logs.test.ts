import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, program, shown, testProject } from "./harness.ts";

/** Its one command runs until the file `go` is there. */
const held: Scenario = {
  name: "held",
  summary: "",
  steps: [
    {
      call: { tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done", description: "Wait" } },
    },
  ],
};

it("follows a job that another process runs, to its end", async () => {
  const project = await testProject({ scenario: held });
  const running = new Baton(project, ["run", "Go", "--json"]);
  const { job } = await running.event(({ type }) => type === "tool:start");
  const following = new Baton(project, ["logs", "-f", job, "--json"]);
  await following.event(({ type }) => type === "tool:start");
  await writeFile(join(project.folder, "go"), "");
  expect(await following.exit).toMatchObject({ code: 0 });
  await running.exit;
  expect(following.events).toEqual(running.events);
});

it("stops following when the process that runs the job is killed", async () => {
  const project = await testProject({ scenario: held });
  const running = new Baton(project, ["run", "Go", "--json"]);
  const { job } = await running.event(({ type }) => type === "tool:start");
  const following = new Baton(project, ["logs", "--follow", job, "--json"]);
  await following.event(({ type }) => type === "tool:start");
  await running.kill();
  expect(await following.exit).toMatchObject({ code: 0 });
  expect(following.events.at(-1)).toMatchObject({ type: "job:interrupted" });
});

it("goes quietly when its reader has read enough, and leaves a job that nobody reads to be resumed", async () => {
  const project = await testProject({ scenario: steady({ steps: 50 }) });
  const first = await throughPipe(project, "run Go | head -n 1");
  expect(first.stdout).toMatch(/^job-.* for coder\n$/);
  expect(first.stderr).toBe("");
  const { id, status } = await shown(project);
  expect(status).toBe("interrupted");
  const log = await throughPipe(project, `logs ${id} --json | head -n 1`);
  expect(JSON.parse(log.stdout)).toMatchObject({ seq: 1 });
  expect(log.stderr).toBe("");
});

it("shows each event with its time, and no colours in a pipe", async () => {
  const project = await testProject({ scenario: steady({ steps: 1 }) });
  const { stdout } = await baton(project, ["run", "Go"]);
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toContain("  ⚒ Bash n=1;");
  const { id } = await shown(project);
  const lines = (await baton(project, ["logs", id])).stdout.trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^(\d\d:\d\d:\d\d| {8}) /);
  expect(lines.at(-1)).toContain("✓ completed");
  const forced = { ...project, env: { ...project.env, FORCE_COLOR: "1" } };
  expect((await baton(forced, ["logs", id])).stdout).toContain("\u001b[32m✓ completed");
  const without = { ...project, env: { ...forced.env, NO_COLOR: "1" } };
  expect((await baton(without, ["logs", id])).stdout).not.toContain("\u001b");
});

function throughPipe({ folder, env }: { folder: string; env: Record<string, string> }, command: string) {
  return promisify(execFile)("sh", ["-c", `"${process.execPath}" "${program}" ${command}`], {
    cwd: folder,
    env,
  });
}
