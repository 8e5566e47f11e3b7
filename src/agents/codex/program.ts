import { existsSync } from "node:fs";
import { parse } from "node:path";
import { onPath } from "../../processes/on-path.ts";
import { run } from "../../processes/run.ts";
import type { Readiness } from "../agent.ts";
import { credentialsOf } from "./credentials.ts";

export const NAME = "Codex";

/** The first that waits for a hook before it asks its model, of those that were tried. */
const OLDEST = "0.166.0";
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
      fix: "Install it with `npm install -g @openai/codex`, or set `executable` to your codex.",
    };
  }
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

/** Why a version cannot be used, where it cannot. */
export function tooOld(version: string): string | undefined {
  const [one, other] = [version, OLDEST].map((each) => each.split(".").map(Number));
  const at = one?.findIndex((part, index) => part !== other?.[index]) ?? -1;
  if (at === -1 || (one?.[at] ?? 0) > (other?.[at] ?? 0)) return undefined;
  return `${NAME} ${version} is too old: Baton needs ${OLDEST} or newer. Update it with \`npm install -g @openai/codex@latest\`.`;
}
