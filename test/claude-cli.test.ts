import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentEvent } from "../src/agents/agent.ts";
import { claudeCli } from "../src/agents/claude/cli/claude-cli.ts";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import { startSimulator } from "../src/simulator/server.ts";

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
      PATH: [dirname(claudeProgram() ?? ""), process.env.PATH].join(delimiter),
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
