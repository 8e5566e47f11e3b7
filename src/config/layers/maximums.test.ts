import { describe, expect, it } from "vitest";
import type { AgentConfig } from "../config.ts";
import { configFrom } from "./from-layers.ts";
import { readSources } from "./read-sources.ts";

function agentWith(project: string, user: string): AgentConfig | undefined {
  const written = readSources({
    project: { path: "/project/baton.yaml", text: `agents:\n  - name: coder\n    ${project}\n` },
    user: { path: "/home/someone/.config/baton/config.yaml", text: user },
    root: "/project",
    home: "/home/someone",
    env: {},
    trusted: {},
    withhold: false,
  });
  return configFrom(written).agents[0];
}

describe("what the user allows at most", () => {
  it.each([
    ["plan", "bypassPermissions", "plan"],
    ["default", "acceptEdits", "default"],
    ["default", "dontAsk", "dontAsk"],
    ["acceptEdits", "auto", "acceptEdits"],
    ["acceptEdits", "plan", "plan"],
    ["auto", "bypassPermissions", "auto"],
    ["bypassPermissions", "auto", "auto"],
  ])("is the mode %s: a project that says %s gets %s", (most, wanted, got) => {
    const agent = agentWith(`permission_mode: ${wanted}`, `maximums: { permission_mode: ${most} }\n`);
    expect(agent?.permissionMode).toBe(got);
  });

  it("holds where nobody says a mode, whatever the agent's program is set to", () => {
    expect(agentWith("model: x", "maximums: { permission_mode: acceptEdits }\n")?.permissionMode).toBe(
      "default",
    );
    expect(agentWith("model: x", "maximums: { permission_mode: plan }\n")?.permissionMode).toBe("plan");
    expect(agentWith("model: x", "maximums: { denied_tools: [Bash] }\n")?.permissionMode).toBeUndefined();
  });

  it("denies tools that a project gives, beside those that it denies itself", () => {
    const agent = agentWith("denied_tools: [WebFetch]", "maximums: { denied_tools: [Bash] }\n");
    expect(agent?.deniedTools).toEqual(["WebFetch", "Bash"]);
  });

  it("is the smaller of two limits, and the only one where the project has none", () => {
    const most = "maximums: { limits: { cost_usd: 5, turns: 10, duration: 1h } }\n";
    expect(agentWith("limits: { cost_usd: 100, turns: 3 }", most)?.limits).toEqual({
      costUsd: 5,
      turns: 3,
      durationMs: 3_600_000,
    });
  });

  it("runs the user's hooks first, also where the project has none", () => {
    const most = "maximums: { hooks: { after_run: [{ type: shell, command: ours }] } }\n";
    const commands = (agent: AgentConfig | undefined) =>
      agent?.hooks.afterRun.map((hook) => hook.type === "shell" && hook.command);
    expect(commands(agentWith("hooks: { after_run: [{ type: shell, command: theirs }] }", most))).toEqual([
      "ours",
      "theirs",
    ]);
    expect(commands(agentWith("hooks: { after_run: [] }", most))).toEqual(["ours"]);
  });

  it("is for the user's own file alone", () => {
    expect(() => agentWith("model: x\nmaximums: { permission_mode: auto }", "")).toThrow("maximums");
  });

  it("leaves defaults to be overridden", () => {
    const user = "defaults: { permission_mode: plan, denied_tools: [Bash] }\n";
    expect(agentWith("permission_mode: auto\n    denied_tools: []", user)).toMatchObject({
      permissionMode: "auto",
      deniedTools: [],
    });
  });
});
