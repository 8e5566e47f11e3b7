import { expect, it } from "vitest";
import { agentNamed } from "./agent-named.ts";
import { workingAs } from "./ways.ts";
import { configWithoutFile } from "./without-file.ts";

it("gives a job the ways of the session that it continues, and leaves it the project's limits", () => {
  const configured = {
    ...agentNamed(configWithoutFile("/p")),
    model: "claude-opus-4-5",
    systemPrompt: "You are a coder.",
    allowedTools: ["Bash"],
    deniedTools: ["WebSearch"],
    mcpServers: { web: { type: "http", url: "http://127.0.0.1" } as const },
    limits: { turns: 7 },
  };
  const ways = { folder: "/p/sub", allowedTools: ["Read"], deniedTools: ["WebFetch"] };
  const agent = workingAs(
    { ...configured, workspace: { ...configured.workspace, strategy: "git_worktree" } },
    ways,
  );
  expect(agent).toMatchObject({
    workingDirectory: "/p/sub",
    workspace: { strategy: "static" },
    model: "claude-opus-4-5",
    allowedTools: ["Read"],
    deniedTools: ["WebSearch", "WebFetch"],
    mcpServers: {},
    limits: { turns: 7 },
  });
  expect(agent).not.toHaveProperty("systemPrompt");
});
