import { realpath } from "node:fs/promises";
import type { Readiness } from "../../agent.ts";
import { notFound, type OwnProgram, placeOf, tooOld } from "../../process/own-program.ts";
import { packagedVersion } from "../../process/packaged-version.ts";
import { credentialsOf, NAME, planIn } from "../program.ts";

const PACKAGE = "@anthropic-ai/claude-code";
const INSTALL = `npm install -g ${PACKAGE}`;

/** The user's own. */
export const CLAUDE: OwnProgram = {
  name: NAME,
  command: "claude",
  onWindows: "claude.exe",
  install: INSTALL,
  says: /claude code/i,
  // Older ones do not have the hook with which a turn ends after its tools.
  oldest: "2.1.118",
  update: `\`claude update\`, or with \`${INSTALL}@latest\``,
};

/** Without starting it: by its package, or by where its own installer or another keeps it, each version under its number. */
async function versionOf(program: string): Promise<string | undefined> {
  const packaged = await packagedVersion(program, PACKAGE);
  if (packaged !== undefined) return packaged;
  const path = await realpath(program).catch(() => program);
  return /(?:[\\/](?=[^\\/]+$)|claude-code[-\\/])(\d+\.\d+\.\d+)(?=[\\/]|$)/.exec(path)?.[1];
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
  const unfit = tooOld(CLAUDE, await versionOf(program), program);
  if (unfit) return { state: "no-program", ...unfit };
  const credentials = await credentialsOf(env, program, where);
  if (credentials !== undefined) return { state: "ready", program, credentials, ...planIn(credentials) };
  return {
    state: "no-credentials",
    program,
    problem: `${NAME} has no credentials.`,
    fix: "Start `claude` once and sign in there, or set ANTHROPIC_API_KEY.",
  };
}
