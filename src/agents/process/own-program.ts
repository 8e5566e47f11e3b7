import { existsSync } from "node:fs";
import { parse } from "node:path";
import { onPath } from "../../processes/on-path.ts";
import { run } from "../../processes/run.ts";
import type { Readiness } from "../agent.ts";

/** How long a program may take to answer a question about itself. */
export const LIMIT_MS = 20_000;

/** No repository, and no folder that others can write: a program may read settings wherever it is started. */
export const NOWHERE = parse(process.execPath).root;

/** A program that the user has installed. */
export interface OwnProgram {
  /** As people know it. */
  name: string;
  /** As it is typed. */
  command: string;
  /** The same on Windows. */
  onWindows: string;
  /** The command that installs it, where Baton knows one. */
  install?: string;
}

/** Where the user says it is, or on their PATH. Undefined where it is not. */
export function placeOf(
  { command, onWindows }: OwnProgram,
  env: Record<string, string>,
  executable?: string,
): string | undefined {
  if (executable !== undefined) return existsSync(executable) ? executable : undefined;
  return onPath(process.platform === "win32" ? onWindows : command, env);
}

/** The same for a session that needs it. It was there when the job was made ready. */
export function foundPlaceOf(own: OwnProgram, env: Record<string, string>, executable?: string): string {
  const found = placeOf(own, env, executable);
  if (found === undefined) throw new Error(`${own.name} is not there: ${executable ?? own.command}`);
  return found;
}

export function notFound({ name, command, install }: OwnProgram, executable?: string): Readiness {
  return {
    state: "no-program",
    problem:
      executable === undefined ? `${name} is not on your PATH.` : `${name} is not there: ${executable}`,
    fix: `Install it${install === undefined ? "" : ` with \`${install}\``}, or set \`executable\` to your ${command}.`,
  };
}

/** As the program says it itself. */
export async function versionSaidBy(program: string): Promise<string> {
  const { ok, stdout, said } = await run(program, ["--version"], { timeoutMs: LIMIT_MS, cwd: NOWHERE });
  if (!ok) throw new Error(`${program} --version failed: ${said}`);
  return stdout.trim();
}
