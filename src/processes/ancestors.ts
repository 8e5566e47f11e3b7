import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

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
    return process.platform === "linux"
      ? fromProc(await readFile(`/proc/${pid}/stat`, "utf8"))
      : await fromPs(pid);
  } catch {
    return undefined;
  }
}

/** The second field is the program's name in brackets, and may hold blanks and brackets itself. */
function fromProc(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

async function fromPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=", "-p", String(pid)]);
  return Number(stdout.trim());
}
