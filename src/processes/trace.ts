import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { endAll } from "./ending.ts";
import { processesWhere } from "./marks.ts";
import { onLinux, procFile, statOf } from "./proc.ts";

/**
 * A mark that no program drops by accident: a program can clear its environment, but its limits stay with it and with all
 * that it starts. Of these, the number of file locks limits nothing since Linux 2.4, so it is free to tell whose a
 * process is. Its upper half stands for the job, and the lower for the session and for who runs it: a guard that outlives
 * its owner for a moment must not take the agent of the next one for the old one's.
 */
export type Trace = string;

const HALF = 30n;

export function traceOf({ job, owner, session }: { job: string; owner: string; session: string }): Trace {
  return String((half(job) << HALF) | half(`${owner} ${session}`));
}

function half(text: string): bigint {
  const [first = 0] = new Uint32Array(createHash("sha256").update(text).digest().buffer.slice(0, 4));
  return BigInt(first >>> 2);
}

/** Of the sessions that this process runs: its guard must know them. */
const traces = new Set<Trace>();
let onChange: (traces: readonly Trace[]) => void = () => {};

/** Calls `listener` with all traces that are in use, now and whenever they change. There is one listener, the guard. */
export function followTraces(listener: (traces: readonly Trace[]) => void): void {
  onChange = listener;
  listener([...traces]);
}

/**
 * Gives a process that was just started its trace, before it starts others. Where there is no `prlimit`, or no /proc, the
 * environment alone tells.
 */
export function leaveTrace(pid: number, trace: Trace): void {
  if (!onLinux) return;
  traces.add(trace);
  onChange([...traces]);
  spawn("prlimit", ["--pid", String(pid), `--locks=${trace}:${trace}`], { stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

/** Whether a process has the trace of some session: none is set unless somebody sets it, and no usual limit is as high. */
export function isTraced(pid: number | "self"): boolean {
  return onLinux && BigInt(traceAt(pid) ?? "0") >= 1n << HALF;
}

const LIMIT = /^Max file locks +(\d+) /m;

/** Ends all processes with this trace, and says how many. */
export async function endTraced(trace: Trace): Promise<number> {
  const ended = await endAll(() => tracedProcesses((found) => found === trace));
  traces.delete(trace);
  onChange([...traces]);
  return ended;
}

/** Ends all processes that have the trace of some session of this job. */
export async function endTracedOfJob(job: string): Promise<void> {
  const wanted = half(job);
  await endAll(() => tracedProcesses((found) => BigInt(found) >> HALF === wanted));
}

async function tracedProcesses(isWanted: (trace: Trace) => boolean): Promise<number[]> {
  if (!onLinux) return [];
  return processesWhere(async (pid) => {
    const trace = traceAt(pid);
    return trace !== undefined && isWanted(trace) && !isZombie(pid);
  });
}

function traceAt(pid: number | string): Trace | undefined {
  try {
    return LIMIT.exec(procFile(pid, "limits"))?.[1];
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** It has ended, and keeps its limits until somebody asks how: nobody may for as long as its new parent is busy. */
function isZombie(pid: string): boolean {
  try {
    return ["Z", "X"].includes(statOf(pid).state);
  } catch {
    return true;
  }
}
