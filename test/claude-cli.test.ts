import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentEvent } from "../src/agents/agent.ts";
import { claudeCli } from "../src/agents/claude/cli/claude-cli.ts";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { baton, shown, testProject } from "./harness.ts";

const PATH = [dirname(claudeProgram() ?? ""), process.env.PATH].join(delimiter);

it("finishes a job of three windows on the user's own claude, doing every step once", {
  tags: ["claude"],
}, async () => {
  const scenario = steady({ steps: 30, factor: 20, outputCharacters: 2_000 });
  const project = await testProject({ scenario, agent: "runtime: cli", env: { PATH } });
  const { code } = await baton(project, ["run", "coder", "Write the files.", "--json"]);
  expect(code).toBe(0);
  const job = await shown(project);
  expect(job.sessions.map(({ endReason }: { endReason: string }) => endReason)).toEqual([
    "handoff",
    "handoff",
    "completed",
  ]);
  expect(job.handoffs).toMatchObject([{ source: "agent" }, { source: "agent" }]);
  for (let step = 1; step <= 30; step++) {
    expect(await readFile(join(project.folder, `step-${step}.txt`), "utf8")).toBe(`step ${step}\n`);
  }
});

it("fails at once, for good and in words, with a claude that runs no hooks", {
  tags: ["claude"],
}, async () => {
  const root = await mkdtemp(join(tmpdir(), "baton-cli-"));
  const simulator = await startSimulator({ name: "x", summary: "", otherwise: { say: "Hello." } });
  onTestFinished(async () => {
    await simulator.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const home = join(root, "claude");
  await mkdir(home);
  await writeFile(join(home, "settings.json"), JSON.stringify({ disableAllHooks: true }));
  const session = claudeCli.start({
    ...{ sessionId: crypto.randomUUID(), resume: false, cwd: root, allowedTools: [], deniedTools: [] },
    ...{ mcpServers: {}, ownTools: { names: [], load: async () => [] } },
    ...{ autoCompact: false, readsRepository: true },
    env: {
      HOME: root,
      ...agentEnvironment(simulator, home),
      PATH,
    },
  });
  onTestFinished(() => session.close());
  session.send({ text: "Say hello.", verbatim: true });
  const events: AgentEvent[] = [];
  for await (const event of session.events) events.push(event);
  expect(events.find(({ type }) => type === "turn:end")).toMatchObject({
    outcome: { kind: "failed", retryable: false, message: expect.stringContaining("does not run the hooks") },
  });
  expect(events.at(-1)?.type).toBe("exit");
});
