import { existsSync } from "node:fs";
import { parse } from "node:path";
import { onPath } from "../../processes/on-path.ts";
import { run } from "../../processes/run.ts";
import type { Readiness } from "../agent.ts";
import { isOlder } from "./packaged-version.ts";

/** How long a program may take to answer a question about itself. */
export const LIMIT_MS = 20_000;

/** No repository, and no folder that others can write: a program may read settings wherever it is started. */
export const NOWHERE = parse(process.execPath).root;

/** A program that the user has installed, or has to. */
interface Installed {
  /** As people know it. */
  name: string;
  /** As it is typed. */
  command: string;
  /** The same on Windows. */
  onWindows: string;
  /** The command that installs it, where Baton knows one. */
  install?: string;
}

export interface OwnProgram extends Installed {
  /** What it says of itself when it is asked for its version: another program may have its name. */
  says: RegExp;
  /** The first version that Baton can run. */
  oldest?: string;
  /** How to come by a newer one. */
  update: string;
}

/** It is there, and cannot be what is needed. */
export class UnfitProgramError extends Error {
  readonly fix: string;

  constructor({ problem, fix }: { problem: string; fix: string }) {
    super(problem);
    this.fix = fix;
  }
}

/** Where the user says it is, or on their PATH. Undefined where it is not. */
export function placeOf(
  { command, onWindows }: Installed,
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

export function notFound({ name, command, install }: Installed, executable?: string): Readiness {
  return {
    state: "no-program",
    problem:
      executable === undefined ? `${name} is not on your PATH.` : `${name} is not there: ${executable}`,
    fix: `Install it${install === undefined ? "" : ` with \`${install}\``}, or set \`executable\` to your ${command}.`,
  };
}

/** As the program says it itself, whatever it is. */
export async function versionSaidBy(program: string): Promise<string> {
  const { ok, stdout, said } = await run(program, ["--version"], { timeoutMs: LIMIT_MS, cwd: NOWHERE });
  if (!ok) throw new Error(`${program} --version failed: ${said}`);
  return stdout.trim();
}

/** The version of a program that is what it should be. */
export async function fitVersion(own: OwnProgram, program: string): Promise<string> {
  const [said = ""] = (await versionSaidBy(program)).split("\n");
  if (!own.says.test(said)) {
    const problem = `${program} is not ${own.name}: asked for its version, it says "${said}".`;
    throw new UnfitProgramError({ problem, fix: `Set \`executable\` to your ${own.command}.` });
  }
  const unfit = tooOld(own, versionIn(said), program);
  if (unfit) throw new UnfitProgramError(unfit);
  return said;
}

/** In what a program says of itself. */
export function versionIn(text: string): string | undefined {
  return /\b(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

/** Why a version cannot be used, and what to do, where it cannot. One that is not known is tried. */
export function tooOld(
  { name, oldest, update }: OwnProgram,
  version: string | undefined,
  program?: string,
): { problem: string; fix: string } | undefined {
  if (version === undefined || oldest === undefined || !isOlder(version, oldest)) return undefined;
  const where = program === undefined ? "" : ` at ${program}`;
  return {
    problem: `${name} ${version}${where} is too old: Baton needs ${oldest} or newer.`,
    fix: `Update it with ${update}.`,
  };
}
