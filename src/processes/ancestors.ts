import { onLinux, statOf } from "./proc.ts";
import { run } from "./run.ts";

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
