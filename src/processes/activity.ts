import { statSync } from "node:fs";
import { type Mark, markedProcesses } from "./marks.ts";
import { onLinux, processNumbers, procFile, procLink, statOf } from "./proc.ts";

/** What the commands that an agent started have done since they began. */
export interface Activity {
  /** In milliseconds, of no particular day. */
  at: number;
  /** By process, so that one that comes or goes is noticed. */
  processes: ReadonlyMap<string, { cpuMs: number; output: number }>;
}

/** Below this share of one processor a command only waits: a server that looks at its files now and then. */
const WAITING_SHARE = 0.05;
/** Linux tells times in hundredths of a second on every machine. */
const MS_PER_TICK = 10;

/**
 * Of the commands among the processes with this mark, and of all that they started. The agent's own program is none of
 * them: it is a child of this process, and gives each command a group of its own. Undefined where no command is seen, and
 * on systems that do not tell.
 */
export async function activityOf(mark: Mark, now: () => number): Promise<Activity | undefined> {
  if (!onLinux) return undefined;
  const marked = new Set(await markedProcesses(mark));
  const all = everyProcess();
  const programs = new Set(
    [...marked].flatMap((pid) => (all.get(pid)?.parent === process.pid ? [all.get(pid)?.group] : [])),
  );
  const processes = new Map<string, { cpuMs: number; output: number }>();
  for (const [pid, { group, startTime, ticks }] of all) {
    if (programs.has(group) || !isOf(pid, marked, all)) continue;
    processes.set(`${pid} ${startTime}`, { cpuMs: ticks * MS_PER_TICK, output: outputOf(pid) });
  }
  return processes.size === 0 ? undefined : { at: now(), processes };
}

/** Whether they did nothing between the two: none came or went or wrote, and together they took next to no time. */
export function isAtRest(before: Activity, after: Activity): boolean {
  let cpuMs = 0;
  for (const [id, { cpuMs: now, output }] of after.processes) {
    const then = before.processes.get(id);
    if (then === undefined || then.output !== output) return false;
    cpuMs += now - then.cpuMs;
  }
  return (
    before.processes.size === after.processes.size &&
    cpuMs < WAITING_SHARE * Math.max(1, after.at - before.at)
  );
}

type Processes = ReadonlyMap<number, ReturnType<typeof statOf>>;

/** All that have not ended. */
function everyProcess(): Processes {
  const found = new Map<number, ReturnType<typeof statOf>>();
  for (const pid of processNumbers()) {
    try {
      const stat = statOf(pid);
      if (!/[ZX]/.test(stat.state)) found.set(Number(pid), stat);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** It or one of its ancestors is marked: a program can clear its environment. */
function isOf(pid: number, marked: ReadonlySet<number>, all: Processes): boolean {
  let at: number | undefined = pid;
  for (let level = 0; at !== undefined && level < all.size; level++) {
    if (marked.has(at)) return true;
    at = all.get(at)?.parent;
  }
  return false;
}

/** How much it has printed: the size of the files that it prints to, or else all that it wrote anywhere. */
function outputOf(pid: number): number {
  const files = new Map<string, number>();
  for (const descriptor of [1, 2]) {
    try {
      const target = procLink(pid, `fd/${descriptor}`);
      if (target === "/dev/null") continue;
      const { size, isFile } = stated(pid, descriptor);
      if (!isFile) return writtenBy(pid);
      files.set(target, size);
    } catch {
      // Closed, or the process has ended.
    }
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}

function stated(pid: number, descriptor: number): { size: number; isFile: boolean } {
  const found = statSync(`/proc/${pid}/fd/${descriptor}`);
  return { size: found.size, isFile: found.isFile() };
}

function writtenBy(pid: number): number {
  try {
    return Number(/^wchar: (\d+)$/m.exec(procFile(pid, "io"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
