import { execFile } from "node:child_process";
import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { sep } from "node:path";

/** A process that works in a folder. Its arguments are left out: they may hold secrets. */
export interface Occupant {
  pid: number;
  command: string;
}

/** Processes, other than this one, whose working directory is in the folder, as far as this user may see them. */
export async function occupantsOf(folder: string): Promise<Occupant[]> {
  const real = await realpath(folder).catch(() => folder);
  const isInside = (path: string) => path === real || path.startsWith(real + sep);
  const found = process.platform === "linux" ? await fromProc(isInside) : await fromLsof(isInside);
  return found.filter(({ pid }) => pid !== process.pid);
}

async function fromProc(isInside: (path: string) => boolean): Promise<Occupant[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // It may have ended meanwhile, or be another user's.
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      if (cwd === undefined || !isInside(cwd)) return [];
      const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => undefined);
      return command === undefined ? [] : [{ pid: Number(pid), command: command.trim() }];
    }),
  );
  return found.flat();
}

/** Lines of `lsof -F`: a letter for the field, then its value; `n` comes last of a process. None without lsof. */
async function fromLsof(isInside: (path: string) => boolean): Promise<Occupant[]> {
  const found: Occupant[] = [];
  let pid = 0;
  let command = "";
  for (const line of (await printed("lsof", ["-a", "-d", "cwd", "-Fpcn"])).split("\n")) {
    const value = line.slice(1);
    if (line.startsWith("p")) pid = Number(value);
    if (line.startsWith("c")) command = value;
    if (line.startsWith("n") && isInside(value)) found.push({ pid, command });
  }
  return found;
}

/** lsof fails when it could not look at some process, and prints the others. */
function printed(program: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024, timeout: 10_000 };
    execFile(program, args, options, (_error, stdout) => resolve(stdout));
  });
}
