import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { processNumbers } from "./proc.ts";

/** A process that works in a folder. Its arguments are left out: they may hold secrets. */
export interface Occupant {
  pid: number;
  command: string;
}

/** Processes, other than this one, whose working directory is in the folder, as far as this user may see them. */
export async function occupantsOf(folder: string): Promise<Occupant[]> {
  const real = await realpath(folder).catch(() => folder);
  const isInside = (path: string) => path === real || path.startsWith(real + sep);
  const found = process.platform === "linux" ? fromProc(isInside) : await fromLsof(isInside);
  return found.filter(({ pid }) => pid !== process.pid);
}

/** What /proc holds is in memory, so that asking for it one by one takes less time than asking for all at once. */
function fromProc(isInside: (path: string) => boolean): Occupant[] {
  return processNumbers().flatMap((name) => {
    try {
      if (!isInside(readlinkSync(`/proc/${name}/cwd`))) return [];
      return [{ pid: Number(name), command: readFileSync(`/proc/${name}/comm`, "utf8").trim() }];
    } catch {
      // It has ended meanwhile, or is another user's.
      return [];
    }
  });
}

/** Whether any process of this user's has the file open, this one included. Only Linux tells. */
export async function isOpen(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  return processNumbers().some((pid) => openFiles(pid).includes(real));
}

function openFiles(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((descriptor) => {
      try {
        return readlinkSync(`${folder}/${descriptor}`);
      } catch {
        return [];
      }
    });
  } catch {
    // It has ended meanwhile, or is another user's.
    return [];
  }
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
