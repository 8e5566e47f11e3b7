import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../src/processes/run.ts";
import type { Fault, Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { codexEnvironment } from "./codex-home.ts";
import { CodexServer } from "./codex-server.ts";
import { CODEX, needs } from "./needs.ts";

interface Place {
  root: string;
  folder: string;
  env: Record<string, string>;
  simulator: Simulator;
}

async function placeFor(scenario: Partial<Scenario>): Promise<Place> {
  needs("codex");
  const root = await mkdtemp(join(tmpdir(), "baton-codex-"));
  const folder = join(root, "work");
  await mkdir(folder);
  const simulator = await startSimulator({ name: "codex", summary: "", ...scenario });
  onTestFinished(async () => {
    await simulator.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const own = codexEnvironment(simulator, join(root, "codex"));
  return { root, folder, simulator, env: { PATH: process.env.PATH ?? "", HOME: root, ...own } };
}

const bash = (command: string) => ({ call: { tool: "Bash", input: { command } } });

describe("the real Codex on the simulator", () => {
  it("runs a script, and its tools really run", async () => {
    const { folder, env, simulator } = await placeFor(steady({ steps: 3 }));
    const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const { stdout } = await run(CODEX, ["exec", ...flags, "Write the files."], { cwd: folder, env });
    expect(stdout).toContain("All 3 steps are done.");
    expect((await readdir(folder)).sort()).toEqual(["step-1.txt", "step-2.txt", "step-3.txt"]);
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("tells the tokens of each answer as they were counted, writes files by patches, and calls tools that it is given", async () => {
    const note = { tool: "mcp__baton__note", input: { text: "mine" } };
    const { folder, env, simulator } = await placeFor({
      steps: [
        { call: { tool: "Write", input: { file_path: "a.txt", content: "one" } } },
        { call: { tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } } },
        { call: note },
        { say: "Done." },
      ],
    });
    await using server = new CodexServer(folder, env);
    const inputSchema = { type: "object", properties: { text: { type: "string" } } };
    const dynamicTools = [{ type: "function", name: "note", description: "Keeps a note.", inputSchema }];
    const thread = await server.thread(folder, { dynamicTools });
    await server.begin(thread, "Write.");
    const { id = 0, params } = await server.until(({ method }) => method === "item/tool/call");
    expect(params).toMatchObject({ tool: "note", arguments: { text: "mine" } });
    server.answer(id, { contentItems: [{ type: "inputText", text: "kept" }], success: true });
    expect(await server.end()).toMatchObject({ status: "completed", error: null });

    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("two\n");
    expect(simulator.requests.at(-1)?.request.results.at(-1)?.text).toBe("kept");
    const told = server.told
      .filter(({ method }) => method === "thread/tokenUsage/updated")
      .map(({ params }) => params.tokenUsage as { last: object });
    expect(told.map(({ last }) => last)).toMatchObject(
      simulator.requests.map(({ usage }) => ({
        inputTokens: (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0),
        cachedInputTokens: usage?.cache_read_input_tokens,
        outputTokens: usage?.output_tokens,
      })),
    );
  });

  it("waits for a hook before each request, and an interrupt there keeps every result and sends nothing", async () => {
    const { root, folder, env, simulator } = await placeFor({
      steps: [bash("echo done > one"), { say: "I go on." }],
    });
    const gate = join(root, "gate");
    const waits = `[ ! -e ${folder}/one ] || until [ -e ${gate} ]; do sleep 0.02; done`;
    const hooks = { PreModelRequest: [{ hooks: [{ type: "command", command: waits, timeout: 600 }] }] };
    await using server = new CodexServer(folder, env);
    const threadId = await server.thread(folder, { config: { bypass_hook_trust: true, hooks } });
    const turnId = await server.begin(threadId, "Work.");
    await server.until(({ method }) => method === "thread/tokenUsage/updated");
    await server.until(({ method, params }) => method === "hook/started" && hasRun(server, params));
    await server.ask("turn/interrupt", { threadId, turnId });
    expect(await server.end()).toMatchObject({ status: "interrupted" });
    expect(simulator.requests).toHaveLength(1);
    await access(join(folder, "one"));

    await writeFile(gate, "");
    expect(await server.turn(threadId, "And now?")).toMatchObject({ status: "completed" });
    const last = simulator.requests.at(-1)?.request;
    expect(last?.results).toMatchObject([{ text: expect.stringContaining("code 0"), isError: false }]);
    expect(last?.last).toContain("And now?");
  });
});

it("continues a thread of the real Codex that was killed while a command ran, with every call answered", async () => {
  const { folder, env, simulator } = await placeFor({
    steps: [bash("echo $PPID > program; exec sleep 600"), { say: "I see what became of it." }],
  });
  const first = new CodexServer(folder, env);
  const thread = await first.thread(folder);
  await first.begin(thread, "Remember the word: heron.");
  const program = await vi.waitUntil(() => readFile(join(folder, "program"), "utf8").catch(() => ""), {
    timeout: 20_000,
    interval: 20,
  });
  await first.kill(Number(program));

  await using second = new CodexServer(folder, env);
  await second.resume(thread);
  expect(await second.turn(thread, "Where were we?")).toMatchObject({ status: "completed" });
  const { request, status } = simulator.requests.at(-1) ?? {};
  expect(status).toBe(200);
  expect(request?.text).toContain("heron");
  expect(request?.results).toMatchObject([{ text: "aborted" }]);
  expect(request?.sessionId).toBe(thread);
});

/** The hook before the second request: the first has its end on record. */
function hasRun({ told }: CodexServer, hook: Record<string, unknown>): boolean {
  const before = told.findIndex(({ params }) => params === hook);
  return told.slice(0, before).some(({ method }) => method === "hook/completed");
}

describe("faults, as the real Codex sees them", () => {
  const faults: [Fault, unknown][] = [
    [{ kind: "usage-limit", resetsAt: 4_000_000_000 }, "usageLimitExceeded"],
    [{ kind: "no-credit" }, "usageLimitExceeded"],
    [{ kind: "rate-limit" }, { responseTooManyFailedAttempts: { httpStatusCode: 429 } }],
    [{ kind: "server-error" }, "internalServerError"],
    [{ kind: "overloaded" }, "serverOverloaded"],
    [{ kind: "unauthorized" }, { httpConnectionFailed: { httpStatusCode: 401 } }],
    [{ kind: "drop" }, "other"],
  ];

  it("end a turn as what they are, one after the other in one session", async () => {
    const { folder, env, simulator } = await placeFor({ steps: faults.map(([fault]) => ({ fault })) });
    await using server = new CodexServer(folder, env);
    const thread = await server.thread(folder);
    const ends = [];
    for (const [{ kind }] of faults) {
      const { status, error } = await server.turn(thread, "Go.");
      ends.push([kind, status, (error as { codexErrorInfo: unknown } | null)?.codexErrorInfo]);
    }
    expect(ends).toEqual(faults.map(([{ kind }, info]) => [kind, "failed", info]));
    const limits = server.told.filter(({ method }) => method === "account/rateLimits/updated");
    expect(limits.map(({ params }) => params.rateLimits)).toContainEqual(
      expect.objectContaining({
        primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 4_000_000_000 },
      }),
    );
    expect(simulator.requests).toHaveLength(faults.length);
  });

  it("a window that is full: the turn ends with the service's own code", async () => {
    const { folder, env } = await placeFor({ window: 100 });
    await using server = new CodexServer(folder, env);
    const { status, error } = await server.turn(await server.thread(folder), "Go.");
    expect(status).toBe("failed");
    expect(JSON.stringify(error)).toMatch(/context_length_exceeded|contextWindowExceeded/);
  });
});
