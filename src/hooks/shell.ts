import type { ShellHook } from "../config/hook-config.ts";
import { type CommandRun, runCommand } from "../processes/command.ts";
import { commandEnvironment } from "../secrets/command-environment.ts";
import { isSecretVariable } from "../secrets/names.ts";
import { lastWords } from "../util/text.ts";
import type { HookCall, HookOutcome } from "./hook-call.ts";

/** Of what it printed on standard error, so much goes into the message. */
const LAST_WORDS = 500;

/** The payload goes in on standard input and never into the command's text. */
export async function runShell(hook: ShellHook, call: HookCall): Promise<HookOutcome> {
  const launch = await call.launch?.();
  const run = await runCommand({
    command: hook.command,
    cwd: call.cwd,
    ...(launch && { launch }),
    env: environmentFor(hook, call),
    input: `${safeToEcho(JSON.stringify(call.payload))}\n`,
    timeoutMs: hook.timeoutMs,
    signal: call.signal,
  });
  return {
    ok: run.ok,
    // A cut can have gone through a character, and what is not well-formed no model takes.
    output: run.stdout.toWellFormed(),
    exitCode: run.exitCode,
    ...(!run.ok && { error: whatHappened(run, call.cwd) }),
  };
}

const CODES: Record<string, string> = {
  '"': "0022",
  "\\": "005c",
  b: "0008",
  f: "000c",
  n: "000a",
  r: "000d",
  t: "0009",
};

/** The same JSON by codes alone: many an `sh` resolves `\n` and the like in `echo "$PAYLOAD"`, and breaks the strings. */
function safeToEcho(json: string): string {
  return json.replace(/\\(u[\da-f]{4}|.)/g, (written, what: string) => {
    const code = CODES[what];
    return code === undefined ? written : `\\u${code}`;
  });
}

/** A secret of the agent's own is for the hooks that name it. */
function environmentFor(hook: ShellHook, { env, grants }: HookCall): Record<string, string> {
  const ofAgent = grants.named.filter((name) => !isSecretVariable(name, env[name] ?? ""));
  return commandEnvironment(env, { ...grants, named: [...ofAgent, ...(hook.env ?? [])] });
}

function whatHappened(run: CommandRun, cwd: string): string {
  const words = lastWords(run.stderr.trim(), LAST_WORDS);
  const said = words === "" ? "" : `: ${words}`;
  if (run.timedOut) {
    return `${run.error}, and was ended with all that it had started${said}. Give it a longer timeout, or make it quicker.`;
  }
  if (run.error !== undefined) {
    const started = run.exitCode !== null || run.signal !== null;
    return started
      ? `it was ended, because ${run.error}${said}`
      : `it could not be started in ${cwd}: ${run.error}`;
  }
  if (run.signal !== null) return `it was killed by ${run.signal}${said}`;
  const hint = HINTS[run.exitCode ?? 0];
  return `it ended with exit code ${run.exitCode}${said}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Codes that the shell itself gives. */
const HINTS: Record<number, string> = {
  126: "the file is there but cannot be run: chmod +x it",
  127: "there is no such command: paths are relative to the workspace",
};
