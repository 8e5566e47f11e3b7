import { existsSync } from "node:fs";
import { parse } from "node:path";
import { onPath } from "../../processes/on-path.ts";
import { run } from "../../processes/run.ts";
import type { Readiness } from "../agent.ts";
import { isOlder, packagedVersion } from "../process/packaged-version.ts";
import { credentialsOf } from "./credentials.ts";

export const NAME = "Codex";

/** The first that waits for a hook before it asks its model, of those that were tried. */
const OLDEST = "0.166.0";
const PACKAGE = "@openai/codex";
export const INSTALL = `npm install -g ${PACKAGE}`;
const LIMIT_MS = 20_000;
/** No repository, and no folder that others can write. */
const NOWHERE = parse(process.execPath).root;

/** The user's own `codex`: where they say it is, or on their PATH. */
export function ownProgram(env: Record<string, string>, executable?: string): string | undefined {
  if (executable !== undefined) return existsSync(executable) ? executable : undefined;
  return onPath(process.platform === "win32" ? "codex.exe" : "codex", env);
}

export async function codexReadiness({
  env,
  executable,
}: {
  env: Record<string, string>;
  executable?: string;
}): Promise<Readiness> {
  const program = ownProgram(env, executable);
  if (program === undefined) {
    return {
      state: "no-program",
      problem:
        executable === undefined ? `${NAME} is not on your PATH.` : `${NAME} is not there: ${executable}`,
      fix: `Install it with \`${INSTALL}\`, or set \`executable\` to your codex.`,
    };
  }
  const version = await packagedVersion(program, PACKAGE);
  const unfit = version === undefined ? undefined : tooOld(version);
  if (unfit) return { state: "no-program", ...unfit };
  const found = await credentialsOf(env, program);
  if ("signsInWith" in found) {
    const { signsInWith: credentials, plan } = found;
    return { state: "ready", program, credentials, ...(plan && { plan }) };
  }
  return { state: "no-credentials", program, problem: `${NAME} has no credentials.`, fix: found.fix };
}

export async function codexVersion(program: string): Promise<string> {
  const { ok, stdout, said } = await run(program, ["--version"], { timeoutMs: LIMIT_MS, cwd: NOWHERE });
  if (!ok) throw new Error(`${program} --version failed: ${said}`);
  return stdout.trim();
}

/** In what it says of itself. */
export function versionIn(text: string): string | undefined {
  return /\b(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/** Why a version cannot be used, and what to do, where it cannot. */
export function tooOld(version: string): { problem: string; fix: string } | undefined {
  if (!isOlder(version, OLDEST)) return undefined;
  return {
    problem: `${NAME} ${version} is too old: Baton needs ${OLDEST} or newer.`,
    fix: `Update it with \`${INSTALL}@latest\`.`,
  };
}
