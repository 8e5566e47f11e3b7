import { expect, it } from "vitest";
import type { Chosen } from "./chosen.ts";
import type { AgentConfig } from "./config.ts";
import { configFrom } from "./layers/from-layers.ts";
import { readSources } from "./layers/read-sources.ts";

function agentWith(project: string, chosen: Chosen, user = "version: 1\n"): AgentConfig | undefined {
  const written = readSources({
    project: { path: "/project/baton.yaml", text: `agents:\n  - name: coder\n    ${project}\n` },
    user: { path: "/home/someone/.config/baton/config.yaml", text: user },
    root: "/project",
    home: "/home/someone",
    env: {},
    trusted: {},
    withhold: false,
  });
  return configFrom(written, chosen).agents[0];
}

it("stands over what the files say, and leaves the rest as it is", () => {
  const agent = agentWith(
    "model: sonnet\n    permission_mode: plan\n    limits: { cost_usd: 20, turns: 7 }",
    { model: "opus", permissionMode: "acceptEdits", maxCostUsd: 50 },
  );
  expect(agent).toMatchObject({
    model: "opus",
    permissionMode: "acceptEdits",
    limits: { costUsd: 50, turns: 7 },
  });
});

it("does not reach beyond the user's own maximums", () => {
  const most = "maximums: { permission_mode: acceptEdits, limits: { cost_usd: 5 } }\n";
  const agent = agentWith("model: x", { permissionMode: "bypassPermissions", maxCostUsd: 50 }, most);
  expect(agent).toMatchObject({ permissionMode: "acceptEdits", limits: { costUsd: 5 } });
});

it("gives less to the hooks of git where it lets the agent do less", () => {
  const bypass = "permission_mode: bypassPermissions";
  expect(agentWith(bypass, {})?.workspace.commitHooks).toBe(true);
  expect(agentWith(bypass, { permissionMode: "acceptEdits" })?.workspace.commitHooks).toBe(false);
});

it("makes a worktree of which nothing is pushed, unless a file says so", () => {
  const worktree = true as const;
  expect(agentWith("model: x", { worktree })?.workspace).toMatchObject({
    strategy: "git_worktree",
    pushOnSuccess: false,
  });
  expect(agentWith("workspace: { push_on_success: true }", { worktree })?.workspace).toMatchObject({
    strategy: "git_worktree",
    pushOnSuccess: true,
  });
  expect(agentWith("workspace: { strategy: git_worktree }", { worktree })?.workspace.pushOnSuccess).toBe(
    true,
  );
});
