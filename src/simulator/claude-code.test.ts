/** @module-tag claude */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query, type SDKMessage, type SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentEnvironment } from "./environment.ts";
import type { Fault, Scenario } from "./scenario.ts";
import { flaky } from "./scenarios/flaky.ts";
import { steady } from "./scenarios/steady.ts";
import { type Simulator, startSimulator } from "./server.ts";

interface Run {
  result: SDKResultMessage;
  messages: SDKMessage[];
  simulator: Simulator;
  folder: string;
}

interface RunOptions {
  account?: "key" | "plan";
  env?: Record<string, string>;
  prompt?: string;
  autoCompact?: boolean;
}

/** Runs the real Claude Code on the scenario to the end of its turn. */
async function run(scenario: Scenario, options: RunOptions = {}): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), "baton-simulator-"));
  const folder = join(root, "work");
  mkdirSync(folder);
  const simulator = await startSimulator(scenario);
  onTestFinished(async () => {
    await simulator.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const session = query({
    prompt: options.prompt ?? "Do the work.",
    options: {
      cwd: folder,
      model: "claude-sonnet-4-5",
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      settingSources: [],
      settings: { autoCompactEnabled: options.autoCompact ?? false },
      env: {
        PATH: process.env.PATH,
        HOME: root,
        ...agentEnvironment(simulator, join(root, "config"), options.account),
        CLAUDE_CODE_MAX_RETRIES: "1",
        ...options.env,
      },
    },
  });
  const messages: SDKMessage[] = [];
  try {
    for await (const message of session) messages.push(message);
  } catch (error) {
    // The program ends with code 1 after a result that is an error.
    if (!messages.some(({ type }) => type === "result")) throw error;
  }
  const result = messages.findLast((message) => message.type === "result");
  if (!result) throw new Error("The program ended without a result.");
  return { result, messages, simulator, folder };
}

function always(fault: Fault): Scenario {
  return { name: "fault", summary: "always the same fault", otherwise: { fault } };
}

function stepFiles(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

function retries(messages: SDKMessage[]): (number | null)[] {
  return messages.flatMap((message) =>
    message.type === "system" && message.subtype === "api_retry" ? [message.error_status] : [],
  );
}

describe("the real Claude Code on a steady scenario", () => {
  it("goes on where a handoff document says, runs each tool once, and sees usage grow with what it sends, nearly all of it in the cache", async () => {
    const prompt = "Go on.\n## Progress\n- done:1\n- done:2";
    const { result, folder, simulator } = await run(steady({ steps: 6, factor: 50 }), { prompt });
    expect(result).toMatchObject({ is_error: false, result: "All 6 steps are done." });
    expect(stepFiles(folder)).toEqual({
      "step-3.txt": "step 3\n",
      "step-4.txt": "step 4\n",
      "step-5.txt": "step 5\n",
      "step-6.txt": "step 6\n",
    });
    const usages = simulator.requests.map(({ usage }) => usage);
    const sent = simulator.requests.map(({ request }) => request.sentTokens);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect((sent.at(-1) ?? 0) - (sent[0] ?? 0)).toBeGreaterThan(20_000);
    for (const [turn, usage] of usages.entries()) {
      expect(usage?.input_tokens).toBe(4);
      if (turn > 0) expect(usage?.cache_read_input_tokens).toBe((sent[turn - 1] ?? 0) - 4);
    }
  });

  it("gets a handoff document with every section when it is asked for one", async () => {
    const { result } = await run(steady({ steps: 4 }), {
      prompt: "done:1 done:2 <handoff-request>Now.</handoff-request>",
    });
    const document = result.subtype === "success" ? result.result : "";
    expect([...document.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      "Goal",
      "Constraints and preferences",
      "Progress",
      "Current state",
      "Decisions",
      "Failed attempts",
      "Open issues and blockers",
      "Next steps",
      "Files changed",
    ]);
    expect(document).toContain("- done:1\n- done:2\n");
  });
});

describe("the window", () => {
  it("makes the agent compact when that is on, and the steps go on where they were", async () => {
    const scenario = steady({ steps: 11, factor: 4, outputCharacters: 20_000 });
    const { result, simulator, messages, folder } = await run(scenario, { autoCompact: true });
    const kinds = simulator.requests.map(({ request, status }) => `${request.kind} ${status}`);
    expect(kinds).toContain("main 400");
    expect(kinds).toContain("side 200");
    expect(messages).toContainEqual(expect.objectContaining({ subtype: "compact_boundary" }));
    expect(result).toMatchObject({ is_error: false, result: "All 11 steps are done." });
    expect(Object.values(stepFiles(folder)).filter((text) => text.split("\n").length === 2)).toHaveLength(11);
  });
});

/** What the relay makes of faults, and of subagents, is in the contract of an agent, for this program too. */
describe("faults, as the real program sees them", () => {
  it("a stall: gives up when its own time limit has passed", async () => {
    const { result } = await run(always({ kind: "stall", at: "start" }), {
      env: { API_TIMEOUT_MS: "300", CLAUDE_CODE_MAX_RETRIES: "0" },
    });
    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: "api_error",
      result: "Request timed out",
    });
  });

  it("a flaky API: gets through all of it", async () => {
    const { result, folder, messages } = await run(flaky());
    expect(result).toMatchObject({ is_error: false, result: "All 4 steps are done." });
    expect(retries(messages)).toEqual([500, 529, null]);
    expect(Object.keys(stepFiles(folder))).toHaveLength(4);
  });
});
