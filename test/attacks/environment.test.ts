import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionSpec } from "../../src/agents/agent.ts";
import { claude } from "../../src/agents/claude/claude.ts";
import { markedProcesses, sessionMark } from "../../src/processes/marks.ts";
import { commandEnvironment } from "../../src/secrets/command-environment.ts";
import { runOne, shellHook } from "../hooks.ts";

/** Variables that hold secrets, by name or by value alone: nothing but a list of what may pass keeps them all back. */
const SECRET = [
  ...["GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_ACCESS_KEY_ID"],
  ...[
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "PGPASSWORD",
    "MYSQL_PWD",
  ],
  ...[
    "DATABASE_URL",
    "REDIS_URL",
    "SENTRY_DSN",
    "KUBECONFIG",
    "VAULT_ADDR",
    "DOCKER_AUTH_CONFIG",
    "TWINE_USERNAME",
  ],
  ...[
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_VALUE_0",
    "GIT_TRACE_CURL",
    "NODE_AUTH_TOKEN",
    "LINEAR",
  ],
  ...["npm_config__authToken", "npm_config_//registry.example.invalid/:_authToken", "npm_config__password"],
  ...[
    "NPM_CONFIG__AUTH",
    "BATON_API_TOKEN",
    "BATON_SECRET",
    "SLACK_BOT_TOKEN",
    "DISCORD_BOT_TOKEN",
    "STRIPE",
  ],
  ...[
    "XDG_SESSION_SECRET",
    "LC_PASSWORD",
    "GIT_AUTHOR_TOKEN",
    "LD_PRELOAD",
    "BASH_ENV",
    "NODE_OPTIONS",
    "S3",
  ],
];
/** What an ordinary `npm ci` or `notify-send` needs. */
const ORDINARY = [
  ...["HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ", "CI"],
  ...["XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "http_proxy", "HTTPS_PROXY", "no_proxy", "SSH_AUTH_SOCK"],
  ...[
    "npm_config_registry",
    "NPM_CONFIG_CACHE",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
  ],
  ...[
    "BATON_JOB_ID",
    "BATON_STORE",
    "GIT_AUTHOR_NAME",
    "GIT_SSH_COMMAND",
    "DBUS_SESSION_BUS_ADDRESS",
    "NVM_DIR",
  ],
  ...["JAVA_HOME", "CARGO_HOME", "GOPATH", "VIRTUAL_ENV"],
];
const of = (names: string[], value: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [name, value(name)]));
const env = {
  ...of(SECRET, (name) => `value-of-${name.length}`),
  ...of(ORDINARY, (name) => (/proxy$/i.test(name) ? "http://me:hidden1@proxy:8080" : "/some/where")),
};

describe("a command of the user's", () => {
  it("gets none of 40 variables that it was not given, and all that it needs", () => {
    expect(SECRET.length).toBeGreaterThanOrEqual(40);
    const given = commandEnvironment(env, { named: [] });
    expect(Object.keys(given).filter((name) => SECRET.includes(name))).toEqual([]);
    expect(ORDINARY.filter((name) => !(name in given))).toEqual([]);
  });

  it("gets what the configuration names, and the variables of its workspace", () => {
    const given = { ...env, SHOP_WORKTREE_PATH: "/w", SHOP_TOKEN: "t0ken" };
    const named = commandEnvironment(given, { named: ["GITHUB_TOKEN", "NOT_SET"], prefix: "SHOP" });
    expect(named).toMatchObject({ GITHUB_TOKEN: expect.any(String), SHOP_WORKTREE_PATH: "/w" });
    expect(Object.keys(named)).not.toContain("SHOP_TOKEN");
    expect(Object.keys(named)).not.toContain("NOT_SET");
  });

  it("run as a hook, sees nothing else in its own process", async () => {
    const grants = { named: ["AGENT_COLOUR", "AGENT_TOKEN"] };
    const all = { ...env, AGENT_COLOUR: "blue", AGENT_TOKEN: "secret-of-the-agent" };
    const seen = async (...names: string[]) => {
      const { output } = await runOne(shellHook("env", { env: names }), { env: all, grants });
      return output;
    };
    const output = await seen();
    expect(SECRET.filter((name) => output.includes(`${name}=`))).toEqual([]);
    expect(output).toContain("AGENT_COLOUR=blue");
    expect(output).not.toContain("secret-of-the-agent");
    expect(await seen("AGENT_TOKEN")).toContain("AGENT_TOKEN=secret-of-the-agent");
  });
});

describe("the arguments of an agent's program", () => {
  it("hold nothing of its servers: they go by a file for the user alone, which is gone with the program", async () => {
    const root = await mkdtemp(join(tmpdir(), "baton-arguments-"));
    onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
    const executable = join(root, "program");
    await writeFile(executable, "#!/bin/sh\ncat > /dev/null\n");
    await chmod(executable, 0o755);
    const folder = join(root, "state", "baton", "handed-over");
    await mkdir(folder, { recursive: true });
    const abandoned = join(folder, `${2 ** 22 + 1}-${randomUUID()}.json`);
    await writeFile(abandoned, "left by a Baton that was killed");

    const [header, variable] = [`Bearer ${randomUUID()}`, randomUUID()];
    const session = claude.start({
      ...{
        sessionId: randomUUID(),
        resume: false,
        cwd: root,
        executable,
        autoCompact: false,
        readsRepository: true,
      },
      env: { PATH: process.env.PATH ?? "", HOME: root, XDG_STATE_HOME: join(root, "state") },
      ...{ allowedTools: [], deniedTools: [], ownTools: { names: [], load: async () => [] } },
      mcpServers: {
        tickets: { type: "http", url: "https://example.invalid/mcp", headers: { Authorization: header } },
        files: { type: "stdio", command: "true", env: { FILES_TOKEN: variable } },
      },
    } as SessionSpec);
    const reading = (async () => {
      for await (const event of session.events) if (event.type === "exit") return;
    })();
    const program = await firstMarked(session.id);
    const line = await readFile(`/proc/${program}/cmdline`, "utf8");
    expect(line).toContain("--mcp-config");
    expect(line).not.toContain(header);
    expect(line).not.toContain(variable);
    const listed = await Promise.all(
      (await readdir("/proc"))
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
    );
    expect(listed.filter((each) => each.includes(variable) || each.includes(header))).toEqual([]);

    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    const path = join(folder, files[0] ?? "");
    expect(line).toContain(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toContain(header);
    await session.close();
    await reading;
    expect(await readdir(folder)).toEqual([]);
  });
});

async function firstMarked(session: string): Promise<number> {
  for (;;) {
    const [found] = await markedProcesses(sessionMark(session));
    if (found !== undefined) return found;
    await sleep(20);
  }
}
