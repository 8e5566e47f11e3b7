import { existsSync } from "node:fs";
import { homedir, platform } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import type { CommandLine } from "../../config/keys/command.ts";
import { ACP_PRESETS, type AcpPresetName, acpPresetIn } from "../../config/runtimes/acp.ts";
import { onPath } from "../../processes/on-path.ts";
import { given } from "../../util/given.ts";
import type { Readiness } from "../agent.ts";
import { textField } from "../call-input.ts";
import { knownCredentials as claudeCredentials, planIn } from "../claude/program.ts";
import { LIMIT_MS, NOWHERE, notFound, UnfitProgramError } from "../process/own-program.ts";
import { StartedProgram } from "../started-program.ts";
import { hello, NoAgentError } from "./hello.ts";
import { EndedError, Rpc } from "./rpc.ts";

export type Command = CommandLine;

/** As people know it. */
export function nameOf(command: Command): string {
  return acpPresetIn(command) ?? basename(command[0]);
}

/** The command line, with the program at its place. Undefined where it is nowhere. */
export function commandIn(
  [file, ...args]: Command,
  { env, executable = file }: { env: Record<string, string>; executable?: string },
): Command | undefined {
  const program = isAbsolute(executable) ? executable : onPath(executable, env);
  return program !== undefined && existsSync(program) ? [program, ...args] : undefined;
}

/** Whether the program is there, and what it signs in with, where that can be told from outside. */
export async function acpReadiness(
  command: Command,
  setting: { env: Record<string, string>; executable?: string },
): Promise<Readiness> {
  const name = nameOf(command);
  const preset = acpPresetIn(command);
  const [program] = commandIn(command, setting) ?? [];
  if (program === undefined) {
    const [file] = command;
    const install = preset && `npm install -g ${ACP_PRESETS[preset].package}`;
    const own = { name, command: name, onWindows: file, ...given({ install }) };
    return notFound(own, setting.executable ?? (isAbsolute(file) ? file : undefined));
  }
  const signIn = preset && SIGN_INS[preset];
  const credentials = signIn ? signIn.found(setting.env) : "what it was signed in with";
  if (credentials !== undefined) return { state: "ready", program, credentials, ...planIn(credentials) };
  return {
    state: "no-credentials",
    program,
    problem: `${name} has no credentials.`,
    fix: signIn?.fix ?? "",
  };
}

interface SignIn {
  found(env: Record<string, string>): string | undefined;
  fix: string;
}

const OF_ITS_OWN = "what it was signed in with";

/** A program that is signed in to in other ways, or with one of many providers, says so itself. */
const SIGN_INS: Partial<Record<AcpPresetName, SignIn>> = {
  "claude-agent-acp": {
    // Elsewhere it is in the keychain.
    found: (env) => claudeCredentials(env) ?? (platform() === "linux" ? undefined : OF_ITS_OWN),
    fix: "Start `claude` once and sign in there, or set ANTHROPIC_API_KEY.",
  },
  "codex-acp": {
    found: (env) =>
      variableIn(env, "OPENAI_API_KEY", "CODEX_API_KEY") ??
      fileIn(env.CODEX_HOME ?? join(homeIn(env), ".codex"), "auth.json"),
    fix: "Start `codex` once and sign in there, or set OPENAI_API_KEY.",
  },
  gemini: {
    found: (env) =>
      variableIn(env, "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI") ??
      fileIn(join(homeIn(env), ".gemini"), "oauth_creds.json"),
    fix: "Start `gemini` once and sign in there, or set GEMINI_API_KEY.",
  },
};

const homeIn = (env: Record<string, string>) => env.HOME ?? homedir();

function variableIn(env: Record<string, string>, ...names: string[]): string | undefined {
  return names.find((name) => env[name]);
}

function fileIn(folder: string, name: string): string | undefined {
  return existsSync(join(folder, name)) ? OF_ITS_OWN : undefined;
}

/** As the program says it when it is greeted: not every one has an option for it. */
export async function acpVersion(command: Command, env: Record<string, string>): Promise<string> {
  const program = new StartedProgram(command[0], command.slice(1), {
    cwd: NOWHERE,
    env,
    trace: undefined,
    ended: () => {},
  });
  try {
    const rpc = new Rpc(program, { told: () => {}, asked: () => undefined });
    program.child.on("error", () => {});
    const { agentInfo } = await hello(rpc, nameOf(command), LIMIT_MS);
    const told = textField(agentInfo, "version");
    if (told === undefined) throw new Error(`${command[0]} does not tell its version`);
    return told;
  } catch (error) {
    if (error instanceof NoAgentError) throw new UnfitProgramError(error);
    if (!program.hasEnded || !(error instanceof EndedError)) throw error;
    throw new Error(
      [`${command.join(" ")} ended before it could begin`, program.said].filter(Boolean).join(": "),
    );
  } finally {
    program.child.kill("SIGKILL");
  }
}
