import { describe, expect, it } from "vitest";
import { parseConfig } from "./layers/parse.ts";
import { recordable } from "./recordable.ts";

const ENV = {
  HUSH: "hush-value",
  SHORT: "1",
  REPO: "https://hush-user:hush-word@example.com/project.git",
  PROJECT: "/somewhere/project",
};

function recorded(yaml: string) {
  const text = `agents:\n  - name: coder\n${yaml}`;
  const [agent] = parseConfig(text, "/project/baton.yaml", "/home/someone", ENV).agents;
  if (!agent) throw new Error("there is no agent");
  return recordable(agent);
}

describe("what is recorded of an agent", () => {
  it("has no secrets of hooks, servers or the environment", () => {
    const config = recorded(`
    env: { TOKEN: hush }
    mcp_servers: { docs: { command: npx, args: [--token=hush] } }
    hooks:
      after_run:
        - type: webhook
          name: Tell
          url: https://example.com/hush
          headers: { Authorization: Bearer hush }
          secret: hush
        - { type: slack, webhook_url: "https://hooks.slack.com/services/hush" }
        - { type: shell, command: ./notify.sh }
    notify: { hooks: [{ type: discord, webhook_url: "https://discord.com/api/webhooks/1/hush" }] }
`);
    expect(JSON.stringify(config)).not.toContain("hush");
    expect(config).toMatchObject({
      env: ["TOKEN"],
      mcpServers: ["docs"],
      hooks: {
        afterRun: [
          { type: "webhook", name: "Tell" },
          { type: "slack" },
          { type: "shell", command: "./notify.sh" },
        ],
      },
      notify: { hooks: [{ type: "discord" }] },
    });
  });

  it("names the variables whose values it took from the environment", () => {
    const config = recorded(`
    model: \${HUSH}
    system_prompt: Use \${HUSH} for it.
    allowed_tools: ["Bash(\${SHORT}:*)", "1"]
    executable: bin/\${HUSH}/claude
    working_directory: { root: ., repo: "\${REPO}", auto_clone: true }
`);
    expect(JSON.stringify(config)).not.toContain("hush-");
    expect(config).toMatchObject({
      model: `\${HUSH}`,
      systemPrompt: `Use \${HUSH} for it.`,
      allowedTools: [`Bash(\${SHORT}:*)`, "1"],
      executable: `/project/bin/\${HUSH}/claude`,
      repository: { cloneFrom: `\${REPO}` },
    });
  });

  it("still says where the job works", () => {
    const config = recorded(`
    working_directory: \${PROJECT}
    workspace: { strategy: git_worktree, worktree_dir: "wt-\${SHORT}" }
`);
    expect(config.workingDirectory).toBe("/somewhere/project");
    expect(config.workspace.worktreeDir).toBe("/somewhere/project/wt-1");
  });

  it("leaves what a shell command writes as a variable to the shell", () => {
    const config = recorded(`    hooks: { after_run: [{ type: shell, command: "echo \${HUSH}" }] }\n`);
    expect(config.hooks.afterRun).toEqual([{ type: "shell", command: `echo \${HUSH}` }]);
  });
});
