import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { typedAs } from "../../processes/on-path.ts";
import { run } from "../../processes/run.ts";
import type { Readiness } from "../agent.ts";
import { LIMIT_MS, NOWHERE } from "../process/own-program.ts";
import { claudeHome } from "./transcripts.ts";

export const NAME = "Claude Code";

export async function claudeReadiness({
  env,
  executable,
  where,
}: {
  env: Record<string, string>;
  executable?: string;
  where?: () => Promise<string | undefined>;
}): Promise<Readiness> {
  const program = claudeProgram(executable);
  if (program === undefined) {
    return {
      state: "no-program",
      problem: `${NAME} is not installed for ${process.platform}-${process.arch}.`,
      fix: "Install Baton again without leaving out optional packages, or set `executable` to your own claude.",
    };
  }
  const credentials = await credentialsOf(env, program, where);
  if (credentials !== undefined) return { state: "ready", program, credentials, ...planIn(credentials) };
  return {
    state: "no-credentials",
    program,
    problem: `${NAME} has no credentials.`,
    fix: `Set ANTHROPIC_API_KEY, or sign in for API usage with \`${typedAs("claude", program, env)} auth login --console\`. With a Claude plan, set \`runtime: claude-cli\` and sign in to your own claude.`,
  };
}

/** The user's own Claude Code, or the one that comes with the Agent SDK. Undefined where neither is there. */
export function claudeProgram(executable?: string): string | undefined {
  if (executable !== undefined) return existsSync(executable) ? executable : undefined;
  const sdk = createRequire(createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk"));
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  for (const libc of ["", "-musl"]) {
    try {
      return sdk.resolve(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}${libc}/${name}`);
    } catch {
      // Not the variant of this machine.
    }
  }
  return undefined;
}

/** Where a link to the program leads: what is linked to is not in a box by itself. */
export function thatIsThere(program: string | undefined): string {
  if (program === undefined) throw new Error(`${NAME} is not there.`);
  return realpathSync(program);
}

const ACCOUNT = "your Claude account";
const PLAN_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN";

const CREDENTIALS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  PLAN_TOKEN,
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

export function planIn(credentials: string): { plan?: true } {
  return credentials === ACCOUNT || credentials === PLAN_TOKEN ? { plan: true } : {};
}

/** What the agent will sign in with, as far as variables and files tell it. */
export function knownCredentials(env: Record<string, string>): string | undefined {
  const variable = CREDENTIALS.find((name) => env[name]);
  if (variable) return variable;
  return existsSync(join(claudeHome(env), ".credentials.json")) ? ACCOUNT : undefined;
}

/** What the agent will sign in with, or undefined. The program itself is only asked where nothing else tells. */
export async function credentialsOf(
  env: Record<string, string>,
  program: string,
  where: (() => Promise<string | undefined>) | undefined,
): Promise<string | undefined> {
  const known = knownCredentials(env);
  if (known !== undefined) return known;
  const folder = await where?.();
  // What is yet to be cloned has no settings.
  const cwd = folder !== undefined && existsSync(folder) ? folder : NOWHERE;
  try {
    const { stdout } = await run(program, ["auth", "status", "--json"], { timeoutMs: LIMIT_MS, env, cwd });
    const status: unknown = JSON.parse(stdout);
    const signedIn =
      typeof status === "object" && status !== null && Reflect.get(status, "loggedIn") === true;
    if (!signedIn) return undefined;
    return /^api_key/.test(String(Reflect.get(status, "authMethod")))
      ? "an API key of its settings"
      : ACCOUNT;
  } catch {
    return undefined;
  }
}
