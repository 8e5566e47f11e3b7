import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { type Options, query, type SpawnedProcess, type SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { expect, it, onTestFinished } from "vitest";
import { claudeProgram } from "../program.ts";
import { commandLine, isSame } from "./command-line.ts";

const require = createRequire(import.meta.url);
const { version } = require(
  join(dirname(require.resolve("@anthropic-ai/claude-agent-sdk")), "package.json"),
) as { version: string };

/** What the SDK would start. Nothing is. */
function wanted(options: Options): SpawnOptions {
  let given: SpawnOptions | undefined;
  const asked = query({
    prompt: new PassThrough({ objectMode: true }),
    options: {
      ...options,
      spawnClaudeCodeProcess(spawned) {
        given = spawned;
        const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
        const process = Object.assign(new EventEmitter(), streams, { killed: false, exitCode: null });
        return Object.assign(process, { kill: () => true }) as SpawnedProcess;
      },
    },
  });
  onTestFinished(() => asked.close());
  if (!given) throw new Error("The SDK starts no program.");
  return given;
}

const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] };
const own = { type: "sdk", name: "baton", instance: { connect: async () => {} } } as never;

it.each<[string, Options]>([
  [
    "a new session that may do all",
    {
      sessionId: "0a0a0a0a-0000-4000-8000-000000000001",
      model: "claude-sonnet-4-5",
      systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
      allowedTools: ["Read", "Bash(git push:*)"],
      disallowedTools: ["WebFetch"],
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      permissionPrompts: "none",
      mcpServers: {
        theirs: { type: "stdio", command: "server", args: ["--fast"], env: { TOKEN: "t" } },
        web: { type: "http", url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer t" } },
        baton: own,
      },
      maxTurns: 3,
    },
  ],
  [
    "one that is continued, asks a person and leaves a repository out",
    {
      resume: "0a0a0a0a-0000-4000-8000-000000000001",
      settingSources: ["user"],
      strictMcpConfig: true,
      permissionMode: "default",
      allowDangerouslySkipPermissions: false,
      canUseTool: async () => ({ behavior: "deny", message: "No." }),
      mcpServers: { baton: own },
      allowedTools: [],
      disallowedTools: [],
    },
  ],
])("foresees the command line of %s", (_, more) => {
  const options: Options = {
    cwd: "/",
    env: { PATH: "/bin", DEBUG: "yes", NODE_OPTIONS: "--no-warnings" },
    settings: { autoCompactEnabled: false },
    includePartialMessages: true,
    hooks,
    ...more,
  };
  const { signal: _signal, ...given } = wanted(options);
  const foreseen = commandLine(options, claudeProgram(), version);
  expect(foreseen).toEqual(given);
  expect(foreseen && isSame(foreseen, given)).toBe(true);
  expect(foreseen && isSame(foreseen, { ...given, args: [...given.args, "--new"] })).toBe(false);
  expect(foreseen && isSame(foreseen, { ...given, env: { ...given.env, NEW: "1" } })).toBe(false);
});

it("foresees nothing of a program that is started by an interpreter", () => {
  expect(commandLine({ cwd: "/", env: {} }, "/opt/claude/cli.js", version)).toBeUndefined();
});
