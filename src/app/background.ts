import { spawn } from "node:child_process";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ownProgram } from "./own-program.ts";

/** What is started, in place of which tests have their own. */
export const background = { program: ownProgram };

interface Behind {
  /** The words after `baton`. */
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Gets what it prints, because a job whose output nobody reads any more would end. */
  log: string;
}

/** What it said when it had begun, or all that it printed before it ended without that. */
export type Begun<T> = { pid: number; said: T } | { code: number | null; printed: string };

const LOOK_MS = 20;
/** Of what it prints at its start. */
const PRINTED_BYTES = 64 * 1024;

/**
 * Starts Baton in a session of its own, which outlives this process and its terminal, and waits until it has begun or
 * ended. `begunBy`: what a line of it says, where that is the one by which it tells that it has begun.
 */
export async function startBehind<T>(
  { args, cwd, env, log }: Behind,
  begunBy: (line: string) => T | undefined,
): Promise<Begun<T>> {
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  await using file = await open(log, "a+", 0o600);
  const { size: from } = await file.stat();
  const stdio: ["ignore", number, number] = ["ignore", file.fd, file.fd];
  const child = spawn(process.execPath, [background.program, ...args], { cwd, env, detached: true, stdio });
  let ended: { code: number | null; problem?: string } | undefined;
  child.once("close", (code) => {
    ended ??= { code };
  });
  child.once("error", ({ message }) => {
    ended ??= { code: null, problem: message };
  });
  const buffer = Buffer.alloc(PRINTED_BYTES);
  for (;;) {
    const last = ended;
    const { bytesRead } = await file.read(buffer, 0, PRINTED_BYTES, from);
    const printed = buffer.toString("utf8", 0, bytesRead);
    // A warning may come first.
    for (const line of printed.split("\n").slice(0, -1)) {
      const said = begunBy(line);
      if (said === undefined || child.pid === undefined) continue;
      child.unref();
      return { pid: child.pid, said };
    }
    if (last) return { code: last.code, printed: last.problem ?? printed.trim() };
    await sleep(LOOK_MS);
  }
}
