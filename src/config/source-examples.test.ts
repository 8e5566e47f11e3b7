import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configSchema } from "./keys/files.ts";
import { parseConfig } from "./layers/parse.ts";

function inFile(name: string): string {
  return readFileSync(new URL(`../../test/hook-examples/${name}`, import.meta.url), "utf8");
}

/** The examples of the documents that Baton was made from, as they stand there. */
const EXAMPLES = [
  {
    name: "a threshold and a safety limit",
    text: `
agents:
  - name: my-agent
    session:
      mode: persistent
      context_handoff_threshold: 0.10   # Trigger handoff when 10% remaining (default)
      max_handoffs_per_job: 3           # Safety limit (default: 3)
`,
  },
  {
    name: "custom handoff by scripts",
    text: inFile("scripts.yaml"),
  },
  {
    name: "a webhook at the threshold",
    text: inFile("webhook.yaml"),
  },
  {
    name: "no hooks",
    text: inFile("none.yaml"),
  },
  {
    name: "hooks and worktrees",
    text: inFile("worktree.yaml"),
  },
  {
    name: "a workspace",
    text: `
agents:
  - name: coder
    workspace:
      strategy: git_worktree
      branch_pattern: "agent/{agent}/{workItem}"  # Default
`,
  },
  {
    name: "maintenance",
    text: `
# Fleet-level or agent-level config
maintenance:
  worktree_cleanup:
    enabled: true
    interval: "6h"               # How often to run periodic cleanup
    max_worktree_age: "7d"       # Remove worktrees older than this
    cleanup_on_startup: true     # Run cleanup during initialize()
    prune_unmerged_branches: false  # Whether to delete branches that were never merged
  session_cleanup:
    enabled: true
    interval: "1h"
agents: [{ name: coder }]
`,
  },
  {
    name: "a handoff",
    text: `
agents:
  - name: coder
    handoff:
      enabled: true
      threshold: 70  # Percentage of context used before creating handoff
      auto_continue_cli: true  # Auto-spawn new CLI instance
      auto_continue_browser: false  # Can't auto-spawn browser, always false
      retention_days: 90  # How long to keep archived handoffs
      notify_user_at: 50  # Warn user at 50% context usage
`,
  },
];

const AGENT_FILE = `
# herdctl-agent.yml
name: coder
working_directory:
  root: /home/dev/myrepo
  default_branch: main

# NEW: workspace strategy configuration
workspace:
  strategy: git_worktree          # "static" (default) or "git_worktree"
  worktree_dir: .worktrees        # relative to working_directory.root
  branch_pattern: "agent/{agent}/{workItem}"  # {agent}, {workItem}, {jobId} available
  fetch_before_setup: true
  push_on_success: true
  create_pr: true
  cleanup_on_failure: true
`;

const ENV = { MONITORING_TOKEN: "monitoring" };
const isValid = new Ajv2020({ strictTypes: false }).compile(configSchema());

const agentIn = (text: string) => parseConfig(text, "/project/baton.yaml", "/home/someone", ENV).agents[0];
const example = (name: string) => EXAMPLES.find((each) => each.name === name)?.text ?? "";

describe("an example of the source documents", () => {
  it.each(EXAMPLES)("is accepted: $name", ({ text }) => {
    expect(() => agentIn(text)).not.toThrow();
  });

  it.each(EXAMPLES)("is accepted by the schema: $name", ({ text }) => {
    isValid(parse(text));
    expect(isValid.errors).toBeNull();
  });

  it("gives scripts the time in milliseconds that it says", () => {
    expect(agentIn(example("custom handoff by scripts"))).toMatchObject({
      session: { timeoutMs: 86_400_000, threshold: { kind: "remaining", fraction: 0.1 } },
      hooks: {
        afterRun: [
          { type: "slack", channelId: "C1234567890", tokenEnv: "SLACK_BOT_TOKEN", onEvents: ["completed"] },
        ],
        onContextThreshold: [
          {
            type: "shell",
            name: "Save handoff document",
            command: "./scripts/save-handoff.sh",
            timeoutMs: 30_000,
          },
        ],
        onSessionStart: [{ command: "./scripts/load-handoff.sh", timeoutMs: 10_000 }],
      },
    });
  });

  it("puts the value of a variable into a header", () => {
    expect(agentIn(example("a webhook at the threshold"))?.hooks.onContextThreshold).toMatchObject([
      { type: "webhook", headers: { Authorization: "Bearer monitoring" }, method: "POST", retries: 3 },
      { type: "shell", command: "herdctl internal handoff" },
    ]);
  });

  it("keeps the lines of a script as they are", () => {
    const agent = agentIn(example("hooks and worktrees"));
    const [save] = agent?.hooks.onContextThreshold ?? [];
    expect(save?.type === "shell" && save.command).toMatch(
      /^PAYLOAD=\$\(cat\)\nWORKTREE=[\s\S]*\.session\.worktree_path[\s\S]*handoff\.json"\n$/,
    );
    expect(agent?.workspace).toMatchObject({ strategy: "git_worktree", createPr: true });
  });

  it("of an agent's own file is accepted as one", () => {
    const inline = AGENT_FILE.replace(/^(?=.)/gm, "    ").replace("    name: coder", "  - name: coder");
    expect(agentIn(`agents:\n${inline}`)).toMatchObject({
      name: "coder",
      workspace: { strategy: "git_worktree", worktreeDir: "/home/dev/myrepo/.worktrees" },
    });
  });
});
