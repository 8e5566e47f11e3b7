import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import type { Readiness } from "../../agent.ts";
import { notFound, type OwnProgram, placeOf } from "../../process/own-program.ts";
import { isOlder, packagedVersion } from "../../process/packaged-version.ts";
import { credentialsOf, NAME, planIn } from "../program.ts";

const PACKAGE = "@anthropic-ai/claude-code";
const INSTALL = `npm install -g ${PACKAGE}`;

/** The user's own. */
export const CLAUDE: OwnProgram = {
  name: NAME,
  command: "claude",
  onWindows: "claude.exe",
  install: INSTALL,
};

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
  const program = placeOf(CLAUDE, env, executable);
  if (program === undefined) return notFound(CLAUDE, executable);
  const version = await versionOf(program);
  if (version !== undefined && isOlder(version, OLDEST)) {
    return {
      state: "no-program",
      problem: `${NAME} ${version} at ${program} is too old: Baton needs ${OLDEST} or newer.`,
      fix: `Update it with \`claude update\`, or with \`${INSTALL}@latest\`.`,
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
