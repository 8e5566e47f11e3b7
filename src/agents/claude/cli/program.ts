import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { onPath } from "../../../processes/on-path.ts";
import type { Readiness } from "../../agent.ts";
import { isOlder, packagedVersion } from "../../process/packaged-version.ts";
import { credentialsOf, NAME, planIn } from "../program.ts";

/** The user's own `claude`: where they say it is, or on their PATH. */
export function ownProgram(env: Record<string, string>, executable?: string): string | undefined {
  if (executable !== undefined) return existsSync(executable) ? executable : undefined;
  return onPath(process.platform === "win32" ? "claude.exe" : "claude", env);
}

const PACKAGE = "@anthropic-ai/claude-code";
/** Older ones do not have the hook with which a turn ends after its tools. */
const OLDEST = "2.1.118";

/** Without starting it: by its package, or by where its own installer keeps it, each version under its number. */
async function versionOf(program: string): Promise<string | undefined> {
  const packaged = await packagedVersion(program, PACKAGE);
  if (packaged !== undefined) return packaged;
  const file = basename(await realpath(program).catch(() => program));
  return /^\d+\.\d+\.\d+$/.test(file) ? file : undefined;
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
  const version = await versionOf(program);
  if (version !== undefined && isOlder(version, OLDEST)) {
    return {
      state: "no-program",
      problem: `${NAME} ${version} at ${program} is too old: Baton needs ${OLDEST} or newer.`,
      fix: `Update it with \`claude update\`, or with \`npm install -g ${PACKAGE}@latest\`.`,
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
