import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentSession, SessionSpec } from "../src/agents/agent.ts";
import type { AgentEvent } from "../src/agents/events.ts";
import { pi } from "../src/agents/pi/pi.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { bash } from "./careful.ts";
import { needs } from "./needs.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";

interface Place {
  simulator: Simulator;
  home: string;
  env: Record<string, string>;
  begin(spec?: Partial<SessionSpec>): AgentSession;
}

/** What is pi's own, beside the contract. */
async function placeFor(
  scenario: Partial<Scenario>,
  options?: Parameters<typeof piEnvironment>[2],
): Promise<Place> {
  needs("pi");
  const root = await mkdtemp(join(tmpdir(), "baton-pi-"));
  const folder = join(root, "work");
  await mkdir(folder);
  const simulator = await startSimulator({ name: "pi", summary: "", ...scenario });
  const home = join(root, "pi");
  const env = { HOME: root, ...piEnvironment(simulator, home, options) };
  onTestFinished(async () => {
    await simulator.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const begin = (spec: Partial<SessionSpec> = {}) => {
    const session = pi.start({
      ...{ sessionId: crypto.randomUUID(), resume: false, cwd: folder, model: PI_MODEL, env },
      ...{ allowedTools: [], deniedTools: [], mcpServers: {}, ownTools: { names: [], load: async () => [] } },
      ...{ autoCompact: false, readsRepository: true },
      ...spec,
    });
    onTestFinished(() => session.close());
    return session;
  };
  return { simulator, home, env, begin };
}

/** All that is heard until the session rests. */
async function turn(session: AgentSession, text: string, verbatim = true): Promise<AgentEvent[]> {
  session.send({ text, verbatim });
  const heard: AgentEvent[] = [];
  const events = session.events[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`no rest after ${heard.map(({ type }) => type).join(", ")}`);
    heard.push(value);
    if (value.type === "idle") return heard;
  }
}

const outcome = (events: AgentEvent[]) => events.find((event) => event.type === "turn:end")?.outcome;

it("sends Baton's words as they are, expands a user's, and answers no question of their extensions", async () => {
  const { simulator, home, begin } = await placeFor({ otherwise: { say: "Yes." } });
  await mkdir(join(home, "prompts"));
  await writeFile(join(home, "prompts", "fix.md"), "Fix $1, please.");
  await mkdir(join(home, "extensions"));
  const asks = `pi.on("before_agent_start", async (_, ctx) => {
    await ctx.ui.confirm("Sure?", "Really?");
    await ctx.ui.input("Baton asks", "{broken");
  })`;
  const fails = 'pi.on("agent_start", () => { throw new Error("mine"); })';
  await writeFile(join(home, "extensions", "asks.ts"), `export default (pi) => { ${asks}; ${fails}; }`);
  const session = begin();
  expect(outcome(await turn(session, "/fix it"))).toEqual({ kind: "completed", text: "Yes." });
  expect(outcome(await turn(session, "/fix it", false))).toEqual({ kind: "completed", text: "Yes." });
  expect(simulator.requests.map(({ request }) => request.last)).toEqual(["/fix it", "Fix it, please."]);
});

it("compacts its window only where it may, and says so", async () => {
  const reads = { call: bash("printf '%08000d' 0", "Print") };
  const summary = {
    when: ({ kind }: { kind: string }) => kind === "side",
    reply: { say: "So far so good." },
  };
  const compaction = { reserveTokens: 1_000, keepRecentTokens: 500 };
  const heard = async (autoCompact: boolean) => {
    const { begin } = await placeFor(
      { rules: [summary], steps: [reads, reads, reads, reads, { say: "Done." }] },
      { window: 8_000, settings: { compaction } },
    );
    const session = begin({ autoCompact });
    const events = await turn(session, "Print a lot.");
    expect(outcome(events)).toEqual({ kind: "completed", text: "Done." });
    return events.filter(({ type }) => type.startsWith("compaction"));
  };
  expect(await heard(false)).toEqual([]);
  const [start, end] = await heard(true);
  expect(start).toEqual({ type: "compaction:start" });
  expect(end).toMatchObject({ type: "compaction:end", ok: true, before: expect.any(Number) });
});

it("takes tools away by their names, and has no others than those that are allowed", async () => {
  const { simulator, begin } = await placeFor({ otherwise: { say: "Yes." } });
  await turn(begin({ deniedTools: ["write", "edit", "grep"] }), "Go.");
  await turn(begin({ allowedTools: ["read", "grep"] }), "Go.");
  const offered = simulator.requests.map(({ request }) =>
    request.tools.filter((name) => /^[a-z]+$/.test(name)),
  );
  expect(offered).toEqual([
    ["read", "bash"],
    ["read", "grep"],
  ]);
  const misspelt = outcome(await turn(begin({ deniedTools: ["wirte"] }), "Go."));
  expect(misspelt).toMatchObject({
    kind: "failed",
    retryable: false,
    message: expect.stringContaining("no tool named wirte"),
  });
  expect(simulator.requests).toHaveLength(2);
});

it("says what is wrong with a model that pi does not have, and with a session that is gone", async () => {
  const { begin, env } = await placeFor({ otherwise: { say: "never" } });
  expect(outcome(await turn(begin({ model: "nowhere/another" }), "Go."))).toMatchObject({
    kind: "failed",
    retryable: false,
    message: expect.stringContaining('Model "nowhere/another" not found'),
  });
  const keyless = { ...env, SIMULATED_API_KEY: "" };
  expect(outcome(await turn(begin({ env: keyless }), "Go."))).toMatchObject({ kind: "no-access" });
  const events: AgentEvent[] = [];
  for await (const event of begin({ resume: true }).events) events.push(event);
  expect(events).toEqual([{ type: "exit", message: expect.stringContaining("no session") }]);
});
