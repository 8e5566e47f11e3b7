import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { firstJob } from "../src/simulator/scenarios/first-job.ts";
import { Baton, baton, git, shown, testProject } from "./harness.ts";

const scenario = { name: "silent", summary: "is never asked" };

it.each(["SIGINT", "SIGTERM"] as const)("serves until %s, and leaves nothing behind", async (signal) => {
  const project = await testProject({ scenario });
  const serving = new Baton(project, ["simulate", "steady", "--json"]);
  const { env } = JSON.parse(await firstLine(serving));
  const answer = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages/count_tokens`, {
    method: "POST",
    body: JSON.stringify({ model: "claude-sonnet-4-5", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(await answer.json()).toMatchObject({ input_tokens: expect.any(Number) });
  expect(existsSync(env.CLAUDE_CONFIG_DIR)).toBe(true);
  serving.child.kill(signal);
  expect(await serving.exit).toEqual({ code: 0, signal: null });
  expect(existsSync(env.CLAUDE_CONFIG_DIR)).toBe(false);
});

it("runs a job against a scenario of the user's own", async () => {
  const project = await testProject({ scenario });
  const own = 'export default { name: "own", summary: "", otherwise: { say: "As you wish." } };';
  await writeFile(join(project.folder, "own.ts"), own);
  const command = [process.execPath, project.program, "run", "coder", "Go"];
  const { code, stdout } = await baton(project, ["simulate", "./own.ts", "--", ...command]);
  expect(code).toBe(0);
  expect(stdout).toContain("As you wish.");
  expect(project.simulator.requests).toEqual([]);
});

it("keeps the sessions where it is told to, so that a job can be resumed in them", async () => {
  const project = await testProject({ scenario, agent: "limits: { turns: 2 }" });
  const simulate = (...words: string[]) =>
    baton(project, ["simulate", "steady", "--keep", "--", process.execPath, project.program, ...words]);
  const first = await simulate("run", "coder", "Go", "--json");
  expect(first.code).toBe(3);
  expect(first.stderr).toContain("The sessions of this run are kept in .baton/simulator.");
  const { id, sessions } = await shown(project);
  await writeFile(
    join(project.folder, "baton.yaml"),
    "agents: [{ name: coder, permission_mode: bypassPermissions }]",
  );
  await baton(project, ["trust", "--yes"]);
  const cancelled = await simulate("cancel", id);
  expect(cancelled.code).toBe(0);
  expect((await simulate("show")).stdout).toContain(
    `Continue with: baton simulate steady --keep -- baton resume ${id}`,
  );
  expect((await baton(project, ["show"])).stdout).toContain(`Continue with: baton resume ${id}`);
  const detached = await simulate("resume", id, "--detach");
  expect(detached.code).toBe(2);
  expect(detached.stderr).toContain("serve the scenario in another terminal: baton simulate steady --keep");
  expect((await simulate("resume", id)).code).toBe(0);
  expect(await shown(project)).toMatchObject({ status: "completed", sessions: [{ id: sessions[0]?.id }] });
  expect(await git(project.folder, "status", "--porcelain")).not.toContain(".baton");
});

it("has a first job that runs the tests and writes a file", async () => {
  const project = await testProject({ scenario: firstJob() });
  await rm(join(project.folder, "baton.yaml"));
  await writeFile(join(project.folder, "package.json"), '{ "scripts": { "test": "echo all-green" } }');
  await baton(project, ["init"]);
  const run = ["run", "coder", "Make the tests pass"];
  const { code, stdout } = await baton(project, run);
  expect(stdout).toContain("✓ completed");
  expect(code).toBe(0);
  const note = await readFile(join(project.folder, "first-job.md"), "utf8");
  expect(note).toMatch(/They pass:[\s\S]* {4}all-green/);

  await baton(project, ["init", "--force", "--may", "nothing"]);
  const denied = await baton(project, run);
  expect(denied.code).toBe(4);
  expect(denied.stdout).toContain("    permission_mode: acceptEdits\n");
});

it.each([
  ["is no scenario", 'export default { name: "own", steps: [{ says: "x" }] };', "says"],
  ["cannot be loaded", "export default {", "cannot be loaded"],
])("refuses a file that %s", async (_what, text, said) => {
  const project = await testProject({ scenario });
  await writeFile(join(project.folder, "own.ts"), text);
  const { code, stderr } = await baton(project, ["simulate", "own.ts"]);
  expect(code).toBe(2);
  expect(stderr).toContain(join(project.folder, "own.ts"));
  expect(stderr).toContain(said);
});

it("refuses a command that cannot be started, and a port that is taken", async () => {
  const project = await testProject({ scenario });
  const unknown = await baton(project, ["simulate", "steady", "--", "no-such-program"]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("no-such-program could not be started");
  const taken = await baton(project, ["simulate", "steady", "--port", String(project.simulator.port)]);
  expect(taken.code).toBe(2);
  expect(taken.stderr).toContain("Choose another port");
});

async function firstLine({ child }: Baton): Promise<string> {
  if (!child.stdout) throw new Error("its output is not read");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return line;
}
