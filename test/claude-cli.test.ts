import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { claudeCli } from "../src/agents/claude/cli/claude-cli.ts";
import type { AgentEvent } from "../src/agents/events.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import type { Rule } from "../src/simulator/scenario.ts";
import { limits } from "../src/simulator/scenarios/limits.ts";
import { overflow } from "../src/simulator/scenarios/overflow.ts";
import { lastDone } from "../src/simulator/scenarios/steady.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";
import { PATH_WITH_CLAUDE } from "./own-claude.ts";
import { provesHandoffs } from "./runtime-jobs.ts";

const PATH = PATH_WITH_CLAUDE;
const RUN = ["run", "coder", "Write the files.", "--json"];

provesHandoffs({
  name: "the user's own claude",
  steps: 12,
  project: (scenario, session) =>
    testProject({ scenario, agent: `runtime: cli\nsession: { ${session} }`, env: { PATH } }),
});

it("waits at a limit of the plan that it is signed in to until its reset, and continues in the same session", {
  tags: ["claude"],
}, async () => {
  const project = await testProject({
    scenario: limits({ steps: 2, after: 1, seconds: 1 }),
    account: "plan",
    agent: "runtime: cli\nsession: { retry_backoff: 100ms }",
    env: { PATH },
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const [waiting] = ofType(events, "limit:waiting");
  const [over] = ofType(events, "limit:over");
  expect((waiting?.until ?? 0) % 1_000).toBe(0);
  expect(Date.parse(over?.at ?? "")).toBeGreaterThanOrEqual(waiting?.until ?? 0);
  expect(ofType(events, "session:starting")).toHaveLength(1);
  expect(await stepsDone(project)).toEqual(upTo(2));
});

it("waits by its own backoff at a limit that tells no reset, and hands off from facts at an overflow", {
  tags: ["claude"],
}, async () => {
  const work = overflow({ steps: 3, at: 2 });
  const limit: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) === 0,
    reply: { fault: { kind: "rate-limit" } },
    times: 1,
  };
  const project = await testProject({
    scenario: { ...work, rules: [limit, ...(work.rules ?? [])] },
    agent: "runtime: cli\nsession: { retry_backoff: 100ms }",
    env: { PATH, CLAUDE_CODE_MAX_RETRIES: "0" },
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(ofType(events, "limit:waiting")).toHaveLength(1);
  const { sessions, handoffs } = await shown(project);
  expect(sessions).toMatchObject([{ endReason: "out-of-context" }, { endReason: "completed" }]);
  expect(handoffs).toMatchObject([{ trigger: "overflow", source: "facts" }]);
  expect(await stepsDone(project)).toEqual(upTo(3));
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
