import type { Readiness } from "../agent.ts";
import { notFound, type OwnProgram, placeOf } from "../process/own-program.ts";
import { isOlder, packagedVersion } from "../process/packaged-version.ts";
import { credentialsOf } from "./credentials.ts";

export const NAME = "Codex";

/** The first that waits for a hook before it asks its model, of those that were tried. */
const OLDEST = "0.166.0";
const PACKAGE = "@openai/codex";
export const INSTALL = `npm install -g ${PACKAGE}`;

/** The user's own. */
export const CODEX: OwnProgram = { name: NAME, command: "codex", onWindows: "codex.exe", install: INSTALL };

export async function codexReadiness({
  env,
  executable,
}: {
  env: Record<string, string>;
  executable?: string;
}): Promise<Readiness> {
  const program = placeOf(CODEX, env, executable);
  if (program === undefined) return notFound(CODEX, executable);
  const version = await packagedVersion(program, PACKAGE);
  const unfit = version === undefined ? undefined : tooOld(version, program);
  if (unfit) return { state: "no-program", ...unfit };
  const found = await credentialsOf(env, program);
  if ("signsInWith" in found) {
    const { signsInWith: credentials, plan } = found;
    return { state: "ready", program, credentials, ...(plan && { plan }) };
  }
  return { state: "no-credentials", program, problem: `${NAME} has no credentials.`, fix: found.fix };
}

/** In what it says of itself. */
export function versionIn(text: string): string | undefined {
  return /\b(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/** Why a version cannot be used, and what to do, where it cannot. */
export function tooOld(version: string, program?: string): { problem: string; fix: string } | undefined {
  if (!isOlder(version, OLDEST)) return undefined;
  const where = program === undefined ? "" : ` at ${program}`;
  return {
    problem: `${NAME} ${version}${where} is too old: Baton needs ${OLDEST} or newer.`,
    fix: `Update it with \`${INSTALL}@latest\`.`,
  };
}
