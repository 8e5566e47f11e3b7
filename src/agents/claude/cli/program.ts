import { existsSync } from "node:fs";
import { onPath } from "../../../processes/on-path.ts";
import type { Readiness } from "../../agent.ts";
import { credentialsOf, NAME, planIn } from "../program.ts";

/** The user's own `claude`: where they say it is, or on their PATH. */
export function ownProgram(env: Record<string, string>, executable?: string): string | undefined {
  if (executable !== undefined) return existsSync(executable) ? executable : undefined;
  return onPath(process.platform === "win32" ? "claude.exe" : "claude", env);
}

export async function cliReadiness({
  env,
  executable,
  where,
}: {
  env: Record<string, string>;
  executable?: string;
  where?: () => Promise<string | undefined>;
}): Promise<Readiness> {
  const program = ownProgram(env, executable);
  if (program === undefined) {
    return {
      state: "no-program",
      problem:
        executable === undefined ? `${NAME} is not on your PATH.` : `${NAME} is not there: ${executable}`,
      fix: "Install it with `npm install -g @anthropic-ai/claude-code`, or set `executable` to your claude.",
    };
  }
  const credentials = await credentialsOf(env, program, where);
  if (credentials !== undefined) return { state: "ready", program, credentials, ...planIn(credentials) };
  return {
    state: "no-credentials",
    program,
    problem: `${NAME} has no credentials.`,
    fix: "Start `claude` once and sign in there, or set ANTHROPIC_API_KEY.",
  };
}
