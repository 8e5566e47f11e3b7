import { describe, expect, it } from "vitest";
import type { AgentConfig } from "../config.ts";
import { ConfigError } from "../error.ts";
import { configWithoutFile } from "../without-file.ts";
import { parseConfig } from "./parse.ts";

function parse(text: string) {
  return parseConfig(text, "/project/baton.yaml", "/home/someone");
}

function agentWith(lines: string): AgentConfig | undefined {
  return parse(`agents:\n  - name: coder\n${lines}`).agents[0];
}

/** Of a hook that says nothing about it. */
const USUAL = { continueOnError: true, timeoutMs: 30_000 };

describe("a baton.yaml", () => {
  it("with nothing but a name gets every default", () => {
    expect(parse("agents: [{ name: coder }]")).toEqual({
      path: "/project/baton.yaml",
      root: "/project",
      paths: [],
      workSources: [],
      fleet: {},
      web: {
        enabled: true,
        port: 3232,
        host: "127.0.0.1",
        allowedHosts: [],
        allowInsecure: false,
        sessionExpiryMs: 604_800_000,
        openBrowser: false,
      },
      webhooks: { enabled: false },
      budgets: [],
      projects: [],
      watch: {
        message: "Check on your workers, then continue with what is next.",
        livingDocument: true,
        threshold: { kind: "tokens", tokens: 100_000 },
      },
      acting: [],
      ownTexts: [],
      maintenance: {
        worktreeCleanup: {
          enabled: true,
          intervalMs: 21_600_000,
          maxWorktreeAgeMs: 604_800_000,
          maxCheckpointAgeMs: 2_592_000_000,
          cleanupOnStartup: true,
          pruneUnmergedBranches: false,
        },
        sessionCleanup: { enabled: true, intervalMs: 3_600_000 },
        jobCleanup: { keep: 100 },
      },
      agents: [
        {
          name: "coder",
          runtime: "claude",
          approvals: { graceMs: 600_000, timeoutMs: 14_400_000, onTimeout: "pause" },
          allowedTools: [],
          deniedTools: [],
          mcpServers: {},
          env: {},
          workingDirectory: "/project",
          repository: {},
          workspace: {
            strategy: "static",
            worktreeDir: "/project/.worktrees",
            branchPattern: "agent/{agent}/{workItem}",
            fetchBeforeSetup: true,
            onBranchConflict: "skip",
            onFolderBusy: "warn",
            setupTimeoutMs: 600_000,
            ports: 0,
            envPrefix: "BATON",
            checkpointIntervalMs: 600_000,
            commitMessage: "agent: {workItem}: {summary}",
            commitHooks: false,
            pushOnSuccess: true,
            onPushFailure: "retry",
            createPr: false,
            keep: [],
            cleanupOnFailure: true,
          },
          session: {
            mode: "fresh",
            timeoutMs: 86_400_000,
            threshold: { kind: "remaining", fraction: 0.1 },
            maxHandoffsPerJob: 3,
            onLimit: "wait",
            fallback: [],
            switchBack: true,
            backgroundGraceMs: 120_000,
            stallTimeoutMs: 900_000,
            maxRetries: 5,
            retryBackoffMs: 5_000,
            autoCompact: false,
          },
          handoff: {
            enabled: true,
            budgetPercent: 6,
            autoContinue: true,
            retentionDays: 90,
            dir: "/project/.baton/handoffs",
            within: "/project",
            notifyUserAt: [50, 60],
            timeoutMs: 300_000,
          },
          hooks: {
            beforeRun: [],
            afterRun: [],
            onError: [],
            onSessionStart: [],
            onContextThreshold: [],
            onHandoff: [],
          },
          notify: {
            events: ["ask", "pause", "failure", "completion"],
            desktop: false,
            bell: false,
            hooks: [],
          },
          schedules: [],
          instances: { maxConcurrent: 1 },
          budgets: [],
          limits: {},
          prices: {},
          fromEnvironment: [],
        },
      ],
    });
  });

  it("that is absent means one agent named claude, in the folder it runs in", () => {
    const { path, ...config } = parse("agents: [{ name: claude }]");
    expect(configWithoutFile("/project")).toEqual(config);
  });

  it("can set everything", () => {
    const agent = agentWith(`    runtime: claude
    model: claude-opus-5-5
    system_prompt: |
      Be careful.
    permission_mode: acceptEdits
    permission_prompts: ask
    approval_grace: 1m
    approval_timeout: 1h
    on_approval_timeout: deny
    allowed_tools: [Bash, Edit]
    denied_tools: [WebFetch]
    max_turns: 200
    mcp_servers:
      local: { command: npx, args: [-y, server, 8080], env: { PORT: 80 }, alwaysLoad: true }
      web: { type: http, url: https://example.com/mcp, headers: { Authorization: Bearer x }, timeout: 5000 }
    env: { CI: 1, VERSION: 1.10, VERBOSE: true, EMPTY: "" }
    executable: ~/bin/claude
    context_window: 200000
    working_directory:
      root: ../other
      repo: https://example.com/other.git
      auto_clone: true
      clone_depth: 1
      default_branch: develop
    workspace:
      strategy: git_worktree
      worktree_dir: ~/worktrees
      branch_pattern: "{date}/{jobId}"
      fetch_before_setup: false
      on_branch_conflict: suffix
      on_folder_busy: refuse
      setup_command: npm ci && echo \${HOME}
      setup_timeout: 1m
      ports: 20
      env_prefix: WORK_
      checkpoint_interval: 1h
      commit_message: "{agent}: {summary}"
      commit_hooks: true
      push_on_success: false
      on_push_failure: fail
      create_pr: true
      keep: [reports/]
      cleanup_on_failure: false
    session:
      mode: persistent
      timeout: 60d
      context_threshold: 150000
      max_handoffs_per_job: 0
      on_limit: pause
      background_grace: 0
      stall_timeout: 1h
      max_retries: 0
      retry_backoff: 1s
      auto_compact: true
    handoff:
      enabled: true
      dir: ~/handoffs
      notify_user_at: [80, 40, 80]
      timeout: 90s
      template_path: docs/template.md
      budget: 4
      auto_continue_cli: false
      auto_continue_browser: false
      retention_days: 30
      living_document: { path: HANDOFF.md, auto_commit: false }
    limits: { cost_usd: 0.5, duration: 8h, turns: 500 }
    instances: { max_concurrent: 2 }
    default_prompt: Look around.
    schedules:
      nightly: { type: cron, expression: "0 3 * * *", timezone: Europe/Berlin, catch_up: skip, overlap: skip }
      often: { interval: 10m, prompt: Look., enabled: false, catch_up_window: 2h }
    prices: { claude-opus-5: { input: 4, output: 20, cache_write_1h: 9 } }
    hooks:
      before_run: [{ type: shell, command: "./before.sh" }]
      on_session_start:
        - { type: shell, name: Load, command: cat notes, env: [NOTES_TOKEN], timeout: 10000 }
      after_run:
        - type: webhook
          url: https://example.com/hook
          method: PUT
          headers: { Authorization: Bearer x, X-Number: 1 }
          secret: hush
          retries: 0
          on_events: [completed, failed]
          when: "!result.success"
          continue_on_error: false
          timeout: 5s
      on_error:
        - { type: slack, channel_id: C1, bot_token_env: OUR_TOKEN, base_url: "http://127.0.0.1:8080/api" }
      on_handoff:
        - { type: discord, webhook_url: "https://discord.com/api/webhooks/1/x" }
    notify:
      events: [warning, handoff]
      desktop: true
      bell: true
      hooks: [{ type: shell, command: say it }]
`);
    expect(agent).toEqual({
      name: "coder",
      runtime: "claude",
      model: "claude-opus-5-5",
      systemPrompt: "Be careful.\n",
      permissionMode: "acceptEdits",
      approvals: { prompts: "ask", graceMs: 60_000, timeoutMs: 3_600_000, onTimeout: "deny" },
      allowedTools: ["Bash", "Edit"],
      deniedTools: ["WebFetch"],
      maxTurns: 200,
      mcpServers: {
        local: {
          type: "stdio",
          command: "npx",
          args: ["-y", "server", "8080"],
          env: { PORT: "80" },
          alwaysLoad: true,
        },
        web: {
          type: "http",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer x" },
          timeout: 5000,
        },
      },
      env: { CI: "1", VERSION: "1.10", VERBOSE: "true", EMPTY: "" },
      executable: "/home/someone/bin/claude",
      programPlace: expect.objectContaining({ line: 19, column: 17 }),
      contextWindow: 200_000,
      workingDirectory: "/other",
      repository: {
        cloneFrom: "https://example.com/other.git",
        cloneDepth: 1,
        defaultBranch: "develop",
      },
      workspace: {
        strategy: "git_worktree",
        worktreeDir: "/home/someone/worktrees",
        branchPattern: "{date}/{jobId}",
        fetchBeforeSetup: false,
        onBranchConflict: "suffix",
        onFolderBusy: "refuse",
        setupCommand: `npm ci && echo \${HOME}`,
        setupTimeoutMs: 60_000,
        ports: 20,
        envPrefix: "WORK",
        checkpointIntervalMs: 3_600_000,
        commitMessage: "{agent}: {summary}",
        commitHooks: true,
        pushOnSuccess: false,
        onPushFailure: "fail",
        createPr: true,
        keep: ["reports/"],
        cleanupOnFailure: false,
      },
      session: {
        mode: "persistent",
        timeoutMs: 60 * 86_400_000,
        threshold: { kind: "tokens", tokens: 150_000 },
        maxHandoffsPerJob: 0,
        onLimit: "pause",
        fallback: [],
        switchBack: true,
        backgroundGraceMs: 0,
        stallTimeoutMs: 3_600_000,
        maxRetries: 0,
        retryBackoffMs: 1_000,
        autoCompact: true,
      },
      handoff: {
        enabled: true,
        templatePath: "/project/docs/template.md",
        templateWithin: "/project",
        budgetPercent: 4,
        autoContinue: false,
        retentionDays: 30,
        livingDocument: {
          path: "HANDOFF.md",
          templatePath: "docs/HANDOFF-template.md",
          archiveDir: "docs/HANDOFF-archive/",
          sizeThreshold: 500,
          autoCommit: false,
          commitHooks: true,
        },
        dir: "/home/someone/handoffs",
        within: "/project",
        notifyUserAt: [40, 80],
        timeoutMs: 90_000,
      },
      hooks: {
        beforeRun: [{ type: "shell", command: "./before.sh", ...USUAL }],
        onSessionStart: [
          {
            ...USUAL,
            type: "shell",
            name: "Load",
            command: "cat notes",
            env: ["NOTES_TOKEN"],
            timeoutMs: 10_000,
          },
        ],
        onContextThreshold: [],
        afterRun: [
          {
            type: "webhook",
            url: "https://example.com/hook",
            method: "PUT",
            headers: { Authorization: "Bearer x", "X-Number": "1" },
            secret: "hush",
            retries: 0,
            onEvents: ["completed", "failed"],
            when: "!result.success",
            continueOnError: false,
            timeoutMs: 5_000,
          },
        ],
        onError: [
          {
            ...USUAL,
            type: "slack",
            channelId: "C1",
            tokenEnv: "OUR_TOKEN",
            baseUrl: "http://127.0.0.1:8080/api",
          },
        ],
        onHandoff: [
          {
            ...USUAL,
            type: "discord",
            webhookUrl: "https://discord.com/api/webhooks/1/x",
            tokenEnv: "DISCORD_BOT_TOKEN",
          },
        ],
      },
      notify: {
        events: ["warning", "handoff"],
        desktop: true,
        bell: true,
        hooks: [{ type: "shell", command: "say it", ...USUAL }],
      },
      budgets: [],
      limits: { costUsd: 0.5, durationMs: 28_800_000, turns: 500 },
      instances: { maxConcurrent: 2 },
      defaultPrompt: "Look around.",
      schedules: [
        {
          name: "nightly",
          times: { kind: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin" },
          enabled: true,
          catchUp: "skip",
          windowMs: 86_400_000,
          overlap: "skip",
        },
        {
          name: "often",
          times: { kind: "interval", everyMs: 600_000 },
          prompt: "Look.",
          enabled: false,
          catchUp: "latest",
          windowMs: 7_200_000,
          overlap: "queue",
        },
      ],
      prices: {
        "claude-opus-5": { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 9 },
      },
      fromEnvironment: [],
    });
  });

  it.each([
    ["session: { context_threshold: 0.25 }", { kind: "remaining", fraction: 0.25 }],
    ["session: { context_handoff_threshold: 0.25 }", { kind: "remaining", fraction: 0.25 }],
    ["session: { context_threshold: 1000 }", { kind: "tokens", tokens: 1000 }],
    ["handoff: { threshold: 70 }", { kind: "used", percent: 70 }],
  ])("can say when to hand off as %s", (line, threshold) => {
    expect(agentWith(`    ${line}\n`)?.session.threshold).toEqual(threshold);
  });

  it("can name one level of use, or none, to be told about", () => {
    expect(agentWith("    handoff: { notify_user_at: 75 }\n")?.handoff.notifyUserAt).toEqual([75]);
    expect(agentWith("    handoff: { notify_user_at: [] }\n")?.handoff.notifyUserAt).toEqual([]);
  });

  it("can have sections with everything in them commented out", () => {
    expect(agentWith("    session:\n      # on_limit: pause\n    env:\n")).toEqual(agentWith(""));
  });

  it("can be written as JSON", () => {
    expect(parse('{\n"agents": [\n{ "name": "coder" }\n]\n}\n').agents).toHaveLength(1);
  });

  it("can close a bracket at the start of a line", () => {
    expect(parse("agents: [\n  { name: coder },\n]\n").agents).toHaveLength(1);
  });

  it("can share values by anchors", () => {
    const { agents } = parse("agents:\n  - { name: a, env: &env { CI: 1 } }\n  - { name: b, env: *env }\n");
    expect(agents.map((agent) => agent.env)).toEqual([{ CI: "1" }, { CI: "1" }]);
  });
});

describe("defaults", () => {
  const { agents, paths } = parse(`
defaults:
  model: claude-sonnet-4-5
  allowed_tools: [Bash]
  env: { A: 1, B: 1 }
  session: { on_limit: pause, max_handoffs_per_job: 5 }
  handoff: { threshold: 70 }
  limits: { turns: 10 }
  working_directory: shared
agents:
  - name: same
  - name: other
    model: claude-opus-5-5
    allowed_tools: [Edit]
    env: { B: 2 }
    session: { context_threshold: 0.3, max_handoffs_per_job: 1 }
    limits: { cost_usd: 5 }
    working_directory: own
`);

  it("hold for an agent that says nothing itself", () => {
    expect(agents[0]).toMatchObject({
      model: "claude-sonnet-4-5",
      allowedTools: ["Bash"],
      env: { A: "1", B: "1" },
      session: { onLimit: "pause", maxHandoffsPerJob: 5, threshold: { kind: "used", percent: 70 } },
      limits: { turns: 10 },
      workingDirectory: "/project/shared",
    });
  });

  it("give way, key by key in each section, to what an agent says", () => {
    expect(agents[1]).toMatchObject({
      model: "claude-opus-5-5",
      allowedTools: ["Edit"],
      env: { A: "1", B: "2" },
      session: { onLimit: "pause", maxHandoffsPerJob: 1, threshold: { kind: "remaining", fraction: 0.3 } },
      limits: { turns: 10, costUsd: 5 },
      workingDirectory: "/project/own",
    });
  });

  it("are where the path of an agent without one was written", () => {
    expect(paths.map(({ agent, path, place }) => [agent, path, place.line])).toEqual([
      ["same", "/project/shared", 9],
      ["other", "/project/own", 18],
    ]);
  });
});

describe("a file that would take forever to read", () => {
  it("is refused when aliases multiply", () => {
    const ten = (item: string) => `[${Array(10).fill(item).join(", ")}]`;
    const bomb = `a: &a ${ten("x")}\n${"bcdefghi"
      .split("")
      .map((key, index) => `${key}: &${key} ${ten(`*${"abcdefgh"[index]}`)}\n`)
      .join("")}`;
    expect(() => parse(bomb)).toThrow("this file holds more than 50000 values, its aliases written out");
  });

  it("is refused when brackets go too deep", () => {
    expect(() => parse(`agents: ${"[".repeat(10_000)}`)).toThrow("the file is nested too deeply");
  });
});

describe("the problems of a file", () => {
  it("come all at once, in the order of their lines, as data too", () => {
    const read = () => parse("agents:\n  - name: coder\n    max_turns: no\n    modle: x\nverion: 1\n");
    const error = expect.objectContaining({
      constructor: ConfigError,
      problems: [
        expect.objectContaining({ file: "/project/baton.yaml", line: 3, column: 16 }),
        expect.objectContaining({ line: 4, column: 5, fix: 'did you mean "model"?' }),
        expect.objectContaining({ line: 5, column: 1, fix: 'did you mean "version"?' }),
      ],
    });
    expect(read).toThrow(error);
  });

  it("have their place in files with Windows line ends too", () => {
    expect(() => parse("agents:\r\n  - name: coder\r\n    modle: x\r\n")).toThrow(
      '/project/baton.yaml:3:5  unknown key "modle" in agents[0]\n   3 |     modle: …\n     |     ^^^^^\n',
    );
  });

  it("show the part of a long line that they are about", () => {
    const read = () => parse(`agents: [{ name: coder, model: ${"x".repeat(300)}, max_turns: many }]`);
    const line = `   1 | …${"x".repeat(79)}, max_turns: many }]`;
    const marker = `     |${" ".repeat(line.indexOf("many") - 6)}^^^^`;
    expect(read).toThrow(`${line}\n${marker}\n`);
  });
});
