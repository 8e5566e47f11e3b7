import { onLinux, statOf } from "./proc.ts";
import { run } from "./run.ts";

const DEEPEST = 64;

/** True where the process is that one, or was started by it or by one that it started. */
export async function isBelow(pid: number, ancestor: number): Promise<boolean> {
  for (let at: number | undefined = pid, depth = 0; at !== undefined && at > 0 && depth < DEEPEST; depth++) {
    if (at === ancestor) return true;
    at = await parentOf(at);
  }
  return false;
}

export async function parentOf(pid: number): Promise<number | undefined> {
  try {
    return onLinux ? statOf(pid).parent : await fromPs(pid);
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<number | undefined> {
  const { ok, stdout } = await run("ps", ["-o", "ppid=", "-p", String(pid)]);
  return ok ? Number(stdout.trim()) : undefined;
}
