import { onLinux, statOf } from "./proc.ts";
import { run } from "./run.ts";

/**
 * Whether what is typed into the terminal of `leader`, the first process in it, reaches this process: another program may
 * have the terminal meanwhile, such as the shell while this one is suspended.
 */
export async function hasTerminalOf(leader: number, pid: number): Promise<boolean> {
  try {
    if (onLinux) return statOf(pid).group === statOf(leader).foreground;
    const [group] = await numbers(pid, "pgid=");
    const [foreground] = await numbers(leader, "tpgid=");
    return group !== undefined && group === foreground;
  } catch {
    return false;
  }
}

async function numbers(pid: number, fields: string): Promise<number[]> {
  const { ok, stdout } = await run("ps", ["-o", fields, "-p", String(pid)]);
  return ok ? stdout.trim().split(/\s+/).map(Number) : [];
}
