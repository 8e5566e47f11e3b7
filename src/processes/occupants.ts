import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { onLinux, openFilesOf, processNumbers, procFile, procLink } from "./proc.ts";
import { run } from "./run.ts";

/** A process that works in a folder. Its arguments are left out: they may hold secrets. */
export interface Occupant {
  pid: number;
  command: string;
}

/** Processes, other than this one, whose working directory is in the folder, as far as this user may see them. */
export async function occupantsOf(folder: string): Promise<Occupant[]> {
  const real = await realpath(folder).catch(() => folder);
  const isInside = (path: string) => path === real || path.startsWith(real + sep);
  const found = onLinux ? fromProc(isInside) : await fromLsof(isInside);
  return found.filter(({ pid }) => pid !== process.pid);
}

function fromProc(isInside: (path: string) => boolean): Occupant[] {
  return processNumbers().flatMap((pid) => {
    try {
      if (!isInside(procLink(pid, "cwd"))) return [];
      return [{ pid: Number(pid), command: procFile(pid, "comm").trim() }];
    } catch {
      // It has ended meanwhile, or is another user's.
      return [];
    }
  });
}

/** Whether any process of this user's has the file open, this one included. Only Linux tells. */
export async function isOpen(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  return processNumbers().some((pid) => openFilesOf(pid).includes(real));
}

/** Lines of `lsof -F`: a letter for the field, then its value; `n` comes last of a process. None without lsof. */
async function fromLsof(isInside: (path: string) => boolean): Promise<Occupant[]> {
  const found: Occupant[] = [];
  let pid = 0;
  let command = "";
  // It fails when it could not look at some process, and prints the others.
  const { stdout } = await run("lsof", ["-a", "-d", "cwd", "-Fpcn"], { timeoutMs: 10_000 });
  for (const line of stdout.split("\n")) {
    const value = line.slice(1);
    if (line.startsWith("p")) pid = Number(value);
    if (line.startsWith("c")) command = value;
    if (line.startsWith("n") && isInside(value)) found.push({ pid, command });
  }
  return found;
}
