import { describe, expect, it } from "vitest";
import { configFrom } from "./layers/from-layers.ts";
import { readSources } from "./layers/read-sources.ts";

const PROJECT = "/project/baton.yaml";
const USER = "/home/someone/.config/baton/config.yaml";

function read(project: string | undefined, user: string) {
  const written = readSources({
    ...(project !== undefined && { project: { path: PROJECT, text: project } }),
    user: { path: USER, text: user },
    root: "/project",
    home: "/home/someone",
    env: {},
    trusted: {},
    withhold: false,
  });
  return configFrom(written);
}

const CODER = "agents: [{ name: coder }]\n";

describe("what a user has set for all projects", () => {
  it("gives way to the defaults of the project, and these to the agent, key by key", () => {
    const { agents } = read(
      `
defaults:
  model: from-project
  env: { B: project, C: project }
  session: { max_retries: 2 }
  hooks: { on_handoff: [{ type: shell, command: project }] }
  handoff: { living_document: { size_threshold: 100 } }
agents:
  - name: coder
    model: from-agent
    env: { C: agent }
    allowed_tools: [Edit]
    mcp_servers: { docs: { type: http, url: "https://example.com" } }
    handoff: { living_document: { path: NOTES.md } }
`,
      `
defaults:
  model: from-user
  system_prompt: from-user
  env: { A: user, B: user, C: user }
  allowed_tools: [Bash, Read]
  session: { max_retries: 1, on_limit: pause }
  hooks:
    on_handoff: [{ type: shell, command: user }]
    after_run: [{ type: shell, command: user }]
  mcp_servers: { docs: { command: npx }, more: { command: npx } }
`,
    );
    expect(agents[0]).toMatchObject({
      model: "from-agent",
      systemPrompt: "from-user",
      env: { A: "user", B: "project", C: "agent" },
      allowedTools: ["Edit"],
      session: { maxRetries: 2, onLimit: "pause" },
      hooks: { onHandoff: [{ command: "project" }], afterRun: [{ command: "user" }] },
      mcpServers: { docs: { type: "http", url: "https://example.com" }, more: { command: "npx" } },
      handoff: { livingDocument: { path: "NOTES.md", sizeThreshold: 100 } },
    });
    expect(agents[0]?.mcpServers.docs).not.toHaveProperty("command");
  });

  it("counts where there is no baton.yaml too", () => {
    const config = read(undefined, "defaults: { model: from-user }\n");
    expect(config).toMatchObject({ root: "/project", agents: [{ name: "claude", model: "from-user" }] });
    expect(config).not.toHaveProperty("path");
  });

  it("can be nothing yet", () => {
    expect(read(CODER, "# later\n").agents[0]).toEqual(read(CODER, "defaults:\n").agents[0]);
  });

  it("can say how to be told of what happens, beside the defaults or in them", () => {
    const beside = read(CODER, "notify: { bell: true, events: [pause] }\n").agents[0];
    expect(beside?.notify).toMatchObject({ bell: true, events: ["pause"] });
    expect(read(CODER, "defaults: { notify: { bell: true, events: [pause] } }\n").agents[0]).toEqual(beside);
    expect(
      read(`defaults: { notify: { bell: false } }\n${CODER}`, "notify: { bell: true }\n").agents[0]?.notify
        .bell,
    ).toBe(false);
  });

  it("can say what Baton tidies up, and a project can say otherwise", () => {
    const { maintenance } = read(
      `maintenance: { worktree_cleanup: { interval: 2h } }\n${CODER}`,
      "maintenance: { worktree_cleanup: { interval: 1h, max_worktree_age: 30d }, session_cleanup: { enabled: false } }\n",
    );
    expect(maintenance).toMatchObject({
      worktreeCleanup: { intervalMs: 7_200_000, maxWorktreeAgeMs: 30 * 86_400_000, enabled: true },
      sessionCleanup: { enabled: false },
    });
  });

  it("has paths that are relative to each project", () => {
    const { agents, paths } = read(
      CODER,
      "defaults: { handoff: { dir: docs/handoffs }, executable: ~/bin/claude, working_directory: src }\n",
    );
    expect(agents[0]).toMatchObject({
      handoff: { dir: "/project/docs/handoffs" },
      executable: "/home/someone/bin/claude",
      workingDirectory: "/project/src",
    });
    expect(paths.map(({ place }) => place.file)).toEqual([USER, USER, USER]);
  });
});

describe("a threshold", () => {
  it("wins over that of a lower level, whichever of the keys each is written with", () => {
    const threshold = (project: string, user: string) => read(project, user).agents[0]?.session.threshold;
    const user = "defaults: { session: { context_threshold: 0.3, max_retries: 1 } }\n";
    expect(threshold(`defaults: { handoff: { threshold: 70 } }\n${CODER}`, user)).toEqual({
      kind: "used",
      percent: 70,
    });
    expect(
      threshold("agents: [{ name: coder, session: { context_handoff_threshold: 5000 } }]\n", user),
    ).toEqual({
      kind: "tokens",
      tokens: 5000,
    });
    expect(threshold(CODER, user)).toEqual({ kind: "remaining", fraction: 0.3 });
  });
});

describe("a working directory", () => {
  it("is one value: where to clone from does not carry over to another folder", () => {
    const { agents } = read(
      "agents: [{ name: coder, working_directory: ./other }]\n",
      "defaults: { working_directory: { root: ~/one, repo: 'https://example.com/one.git', auto_clone: true } }\n",
    );
    expect(agents[0]).toMatchObject({ workingDirectory: "/project/other", repository: {} });
  });
});

describe("a user's file that is wrong", () => {
  it.each([
    {
      wrong: "it has agents",
      user: "agents: [{ name: coder }]\n",
      says: `${USER}:1:1  unknown key "agents" in the file
   1 | agents: …
     | ^^^^^^
  "agents" belongs in the baton.yaml of a project`,
    },
    {
      wrong: "it has a budget of no project",
      user: "budgets: [{ scope: fleet, per: day, cost_usd: 5 }]\n",
      says: `${USER}:1:1  budgets are of all projects of this file, and it names none
   1 | budgets: [{ scope: fleet, per: day, cost_usd: 5 }]
     | ^^^^^^^
  add projects: [~/code/site]`,
    },
    {
      wrong: "it has a budget of one agent",
      user: "projects: [~/code]\nbudgets: [{ scope: agent, agent: coder, per: day, cost_usd: 5 }]\n",
      says: `${USER}:2:11  budgets[0] is of one agent, and your own file has none
   2 | budgets: [{ scope: agent, agent: coder, per: day, cost_usd: 5 }]
     |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  write scope: fleet, for all projects together; or put it into the baton.yaml of a project`,
    },
    {
      wrong: "it has a key of an agent",
      user: "model: x\n",
      says: `${USER}:1:1  unknown key "model" in the file
   1 | model: …
     | ^^^^^
  "model" belongs in an agent, or in "defaults"`,
    },
    {
      wrong: "it says twice how to be told",
      user: "notify: { bell: true }\ndefaults: { notify: { bell: false } }\n",
      says: `${USER}:1:1  notify says the same thing as defaults.notify
   1 | notify: { bell: true }
     | ^^^^^^
  keep one of them`,
    },
    {
      wrong: "its defaults are wrong",
      user: "defaults: { max_turns: no }\n",
      says: `${USER}:1:24  defaults.max_turns must be a whole number of 1 or more, found the text "no"
   1 | defaults: { max_turns: no }
     |                        ^^
  for example: max_turns: 200`,
    },
  ])("is refused when $wrong", ({ user, says }) => {
    const error = expect.objectContaining({ name: "ConfigError", message: says });
    expect(() => read(CODER, user)).toThrow(error);
    expect(() => read(undefined, user)).toThrow(error);
  });

  it("is refused together with the project's", () => {
    const error = expect.objectContaining({
      problems: [
        expect.objectContaining({ file: PROJECT, line: 1 }),
        expect.objectContaining({ file: USER, line: 2 }),
      ],
    });
    expect(() => read("agent: x\nagents: [{ name: coder }]\n", "\nmodle: x\n")).toThrow(error);
  });
});
