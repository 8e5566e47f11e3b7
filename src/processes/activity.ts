import { statSync } from "node:fs";
import type { Mark } from "./marks.ts";
import { onLinux, processNumbers, procFile, procFileLater, procLink, statOf } from "./proc.ts";

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
  return activityIn(await look(now), mark);
}

/** For how long one look at all processes serves many jobs. */
const SHARED_MS = 1_000;
let shared: { at: number; seen: Promise<Seen> } | undefined;

/** The same from a look that may be a moment old, because somebody else looked for another job. */
export async function sharedActivityOf(mark: Mark): Promise<Activity | undefined> {
  if (!onLinux) return undefined;
  const now = () => performance.now();
  if (!shared || now() - shared.at > SHARED_MS) shared = { at: now(), seen: look(now) };
  return activityIn(await shared.seen, mark);
}

function activityIn({ at, all, marks }: Seen, mark: Mark): Activity | undefined {
  const written = `${mark.name}=${mark.value}`;
  const marked = new Set([...marks].flatMap(([pid, carried]) => (carried.has(written) ? [pid] : [])));
  const programs = new Set(
    [...marked].flatMap((pid) => (all.get(pid)?.parent === process.pid ? [all.get(pid)?.group] : [])),
  );
  const processes = new Map<string, { cpuMs: number; output: number }>();
  for (const [pid, { group, startTime, ticks }] of all) {
    if (programs.has(group) || !isOf(pid, marked, all)) continue;
    processes.set(`${pid} ${startTime}`, { cpuMs: ticks * MS_PER_TICK, output: outputOf(pid) });
  }
  return processes.size === 0 ? undefined : { at, processes };
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

/** All processes of this machine at a moment, and the marks of Baton's that they carry. */
interface Seen {
  at: number;
  all: Processes;
  marks: ReadonlyMap<number, ReadonlySet<string>>;
}

async function look(now: () => number): Promise<Seen> {
  const all = everyProcess();
  const found = await Promise.all(
    [...all.keys()].map(async (pid): Promise<[number, Set<string>]> => {
      const environment = await procFileLater(pid, "environ").catch(() => "");
      return [pid, new Set(environment.split("\0").filter((each) => each.startsWith(OURS)))];
    }),
  );
  const marks = new Map(found.filter(([pid, carried]) => carried.size > 0 && pid !== process.pid));
  return { at: now(), all, marks };
}

const OURS = "BATON_";

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
