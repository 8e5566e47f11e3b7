import { describe, expect, it } from "vitest";
import { parseConfig } from "../layers/parse.ts";
import type { Abilities } from "./abilities.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { refusalsOf } from "./refuse.ts";
import { abilitiesOf } from "./runtimes.ts";

const little: Abilities = {
  ...claude,
  usage: "each turn",
  cost: "unknown",
  resume: false,
  toolRules: false,
  permissionModes: ["plan"],
  systemPrompt: false,
  maxTurns: false,
  mcpServers: false,
  compaction: false,
};

const refused = (can: Abilities, layer: Parameters<typeof refusalsOf>[2]) =>
  refusalsOf("claude", can, layer).map(({ path }) => path.join("."));

describe("what a runtime cannot honour", () => {
  it("is refused key by key, and only where it is asked for", () => {
    const all = {
      allowed_tools: ["one"],
      denied_tools: [],
      system_prompt: "Be careful.",
      max_turns: 3,
      mcp_servers: {},
      permission_mode: "auto",
      limits: { cost_usd: 1, turns: 3 },
      session: { auto_compact: false, mode: "persistent" },
    } as const;
    const layer = { ...all, allowed_tools: ["one"], denied_tools: [] };
    expect(refused(little, layer)).toEqual([
      "allowed_tools",
      "denied_tools",
      "system_prompt",
      "max_turns",
      "mcp_servers",
      "permission_mode",
      "limits.cost_usd",
      "session.auto_compact",
      "session.mode",
    ]);
    expect(refused(claude, layer)).toEqual([]);
    expect(refused(little, { permission_mode: "plan", limits: { turns: 3 } })).toEqual([]);
  });

  it.each([
    ["pi", {}, "runtime pi asks nobody"],
    ["claude", { permission_mode: "bypassPermissions" }, "bypassPermissions the agent never asks"],
    ["claude", { permission_mode: "dontAsk" }, "dontAsk the agent never asks"],
    ["codex", { permission_mode: "dontAsk" }, "dontAsk the agent never asks"],
  ] as const)("is refused where %s is to ask, and would not: %j", (runtime, layer, because) => {
    const prompts = { ...layer, permission_prompts: "ask" } as const;
    const [refusal] = refusalsOf(runtime, abilitiesOf(runtime), prompts);
    expect(refusal).toMatchObject({
      path: ["permission_prompts"],
      because: expect.stringContaining(because),
      fix: expect.stringContaining("leave it out"),
    });
    expect(refusalsOf(runtime, abilitiesOf(runtime), { ...layer, permission_prompts: "deny" })).toEqual([]);
  });

  it("is refused of rules where only whole tools can be named", () => {
    const byName: Abilities = { ...claude, toolRules: "by name" };
    expect(refused(byName, { allowed_tools: ["read", "my-tool"], denied_tools: ["bash"] })).toEqual([]);
    expect(refused(byName, { allowed_tools: ["Bash(git push:*)"], denied_tools: ["Bash"] })).toEqual([
      "allowed_tools",
      "denied_tools",
    ]);
  });

  it("lets a limit in dollars hold where prices are given, if every answer is counted", () => {
    const price = { input: 1, output: 2, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const layer = { limits: { cost_usd: 1 }, prices: { model: price } };
    expect(refused({ ...little, usage: "each response" }, layer)).toEqual([]);
    expect(refused(little, layer)).toEqual(["limits.cost_usd"]);
  });
});

describe("a program of the Agent Client Protocol", () => {
  const parse = (keys: string) =>
    parseConfig(`agents: [{ name: coder, ${keys} }]`, "/project/baton.yaml", "/home/someone").agents[0];
  const refusal = (keys: string) => {
    try {
      parse(keys);
    } catch (error) {
      return String(error);
    }
    return "";
  };

  it("is named, or given as a command line whose path is relative to the file", () => {
    expect(parse("runtime: acp, command: opencode")?.command).toEqual(["opencode", "acp"]);
    expect(parse("runtime: acp, command: [my-agent, --acp]")?.command).toEqual(["my-agent", "--acp"]);
    expect(parse("runtime: acp, command: [./agent]")?.command).toEqual(["/project/agent"]);
  });

  it("must be given, to this runtime alone, in words that it can be started by", () => {
    expect(refusal("runtime: acp")).toMatch(/command does not say which[\s\S]*command: opencode/);
    expect(refusal("command: opencode")).toContain("runtime claude starts its own program");
    expect(refusal("runtime: gemini")).toContain("use runtime: acp, and command: gemini beside it");
    expect(refusal("runtime: acp, command: opncode")).toContain('did you mean "opencode"?');
    expect(refusal("runtime: acp, command: my-agent --acp")).toContain(
      "for example: command: [my-agent, --acp]",
    );
    expect(refusal("runtime: acp, command: []")).toContain("a list with a program and its arguments");
  });

  it("is refused what it cannot honour, and not what the one at hand can", () => {
    const cost = "limits: { cost_usd: 5 }, prices: { some: { input: 1, output: 1 } }";
    expect(refusal(`runtime: acp, command: opencode, ${cost}`)).toContain("does not tell what it costs");
    expect(refusal(`runtime: acp, command: codex-acp, ${cost}`)).toContain("limit turns or duration instead");
    expect(refusal("runtime: acp, command: claude-agent-acp, limits: { cost_usd: 5 }")).toBe("");
    expect(
      refusal("runtime: acp, command: [npx, -y, opencode-ai@1.18.33, acp], allowed_tools: [a]"),
    ).toContain("no rules for single tools");
    expect(refusal("runtime: acp, command: [/opt/bin/claude-agent-acp], allowed_tools: [Bash]")).toBe("");
    expect(refusal("runtime: acp, command: gemini, session: { mode: persistent }")).toContain("use fresh");
  });
});

it("refuses servers that Codex could not be given as they are meant", () => {
  const servers = {
    old: { type: "sse", url: "http://127.0.0.1/sse" },
    near: { type: "stdio", command: "server", alwaysLoad: true },
    fine: { type: "http", url: "http://127.0.0.1/mcp" },
  } as const;
  const refusedHere = refusalsOf("codex", codex, { mcp_servers: servers }).map(({ path }) => path.join("."));
  expect(refusedHere).toEqual(["mcp_servers.old.type", "mcp_servers.near.alwaysLoad"]);
});

describe("a limit in dollars on Codex", () => {
  const limits = { cost_usd: 1 };

  it("needs a model whose price is known", () => {
    const refusedOf = (layer: Parameters<typeof refusalsOf>[2]) =>
      refusalsOf("codex", codex, layer).map(({ because, fix }) => `${because}: ${fix}`);
    expect(refusedOf({ limits, model: "gpt-5.5" })).toEqual([]);
    const price = { input: 1, output: 2, cacheRead: 1, cacheWrite5m: 1, cacheWrite1h: 1 };
    expect(refusedOf({ limits, model: "gpt-6-sol", prices: { "gpt-6-sol": price } })).toEqual([]);
    expect(refusedOf({ limits, model: "gpt-6-sol" })).toEqual([
      'the price of the model "gpt-6-sol" is not known, and runtime codex does not tell what it costs: choose a model with a known price, such as gpt-5.6-sol, say what its models cost in prices, or limit turns or duration instead',
    ]);
    expect(refusedOf({ limits })[0]).toContain("the model that it chooses by itself");
  });
});

describe("the name of a runtime", () => {
  it("may be what other tools call it", () => {
    const agentOf = (runtime: string) =>
      parseConfig(`agents: [{ name: coder, runtime: ${runtime} }]`, "/project/baton.yaml", "/home/someone")
        .agents[0]?.runtime;
    expect(["claude", "sdk", "claude-cli", "cli", "pi"].map(agentOf)).toEqual([
      "claude",
      "claude",
      "claude-cli",
      "claude-cli",
      "pi",
    ]);
  });
});
