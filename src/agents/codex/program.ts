import type { Readiness } from "../agent.ts";
import {
  notFound,
  type OwnProgram,
  placeOf,
  tooOld,
  versionIn,
  versionSaidBy,
} from "../process/own-program.ts";
import { packagedVersion } from "../process/packaged-version.ts";
import { credentialsOf } from "./credentials.ts";

export const NAME = "Codex";

const PACKAGE = "@openai/codex";
export const INSTALL = `npm install -g ${PACKAGE}`;

/** The user's own. */
export const CODEX: OwnProgram = {
  name: NAME,
  command: "codex",
  onWindows: "codex.exe",
  install: INSTALL,
  says: /codex/i,
  // The first that waits for a hook before it asks its model, of those that were tried.
  oldest: "0.166.0",
  update: `\`${INSTALL}@latest\``,
};

export async function codexReadiness({
  env,
  executable,
}: {
  env: Record<string, string>;
  executable?: string;
}): Promise<Readiness> {
  const program = placeOf(CODEX, env, executable);
  if (program === undefined) return notFound(CODEX, executable);
  const unfit = tooOld(CODEX, await versionOf(program), program);
  if (unfit) return { state: "no-program", ...unfit };
  const found = await credentialsOf(env, program);
  if ("signsInWith" in found) {
    const { signsInWith: credentials, plan } = found;
    return { state: "ready", program, credentials, ...(plan && { plan }) };
  }
  return { state: "no-credentials", program, problem: `${NAME} has no credentials.`, fix: found.fix };
}

/** One that npm has not installed is asked. */
async function versionOf(program: string): Promise<string | undefined> {
  const packaged = await packagedVersion(program, PACKAGE);
  return packaged ?? versionIn(await versionSaidBy(program).catch(() => ""));
}
