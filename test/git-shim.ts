import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { git, type TestProject } from "./harness.ts";

/** A call of git at which Baton is killed: before git has done anything, or after it has done all. */
interface Moment {
  call: number;
  when: "before" | "after";
}

/**
 * The moments that differ: before and after each command that writes, and once where others only read between two of
 * those.
 */
export function momentsOf(calls: string[]): Moment[] {
  return calls.flatMap((args, index): Moment[] => {
    const call = index + 1;
    if (writes(args))
      return [
        { call, when: "before" },
        { call, when: "after" },
      ];
    const isFirst = index === 0 || writes(calls[index - 1] ?? "");
    return isFirst ? [{ call, when: "before" }] : [];
  });
}

function writes(args: string): boolean {
  return / (fetch|checkout|add|commit|commit-tree|write-tree|push|update-ref|worktree (add|lock|unlock|remove)) /.test(
    `${args} `,
  );
}

/**
 * A `git` that counts how often Baton calls it and kills Baton at one of the calls. Calls that the agent makes, or that
 * git makes itself, are not counted.
 */
export class GitShim {
  readonly env: Record<string, string>;
  readonly #folder: string;

  constructor(folder: string, env: Record<string, string>) {
    this.#folder = folder;
    this.env = env;
  }

  /** Counts from one again. Without a moment nobody is killed. */
  async arm(moment?: Moment): Promise<void> {
    await rm(join(this.#folder, "calls"), { recursive: true, force: true });
    await mkdir(join(this.#folder, "calls"));
    await writeFile(join(this.#folder, "kill"), moment ? `${moment.call} ${moment.when}\n` : "0 never\n");
  }

  /** Kills Baton when it calls git next. */
  async killAtNext(): Promise<void> {
    await writeFile(join(this.#folder, "kill"), `${(await this.calls()).length + 1} before\n`);
  }

  /** The arguments of each call so far, in order. */
  async calls(): Promise<string[]> {
    const names = await readdir(join(this.#folder, "calls"));
    const numbers = names.map(Number).sort((a, b) => a - b);
    const calls = numbers.map((number) => readFile(join(this.#folder, "calls", String(number)), "utf8"));
    return (await Promise.all(calls)).map((call) => call.trim());
  }
}

export async function gitShim({ folder, env }: TestProject): Promise<GitShim> {
  const home = await mkdtemp(join(tmpdir(), "baton-git-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const real = join(await git(folder, "--exec-path"), "git");
  await writeFile(join(home, "git"), script(home, real), { mode: 0o755 });
  const shim = new GitShim(home, { ...env, PATH: `${home}${delimiter}${env.PATH}` });
  await shim.arm();
  return shim;
}

/** Without overwriting, the shell takes a number only where no other call has it. */
const script = (home: string, real: string) => `#!/bin/sh
[ -n "$BATON_SESSION_ID" ] && exec ${real} "$@"
set -C
n=1
until printf '%s\\n' "$*" 2>/dev/null > ${home}/calls/$n; do n=$((n + 1)); done 2>/dev/null
read -r call when < ${home}/kill
[ "$n" = "$call" ] || exec ${real} "$@"
[ "$when" = after ] && ${real} "$@"
kill -KILL $PPID
`;
