import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { endMarked, markedProcesses, ownerMark } from "../src/processes/marks.ts";
import type { Baton } from "./harness.ts";

const PATIENCE_MS = 30_000;
const LOOK_MS = 25;

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Everything that the agents of this Baton have started and that still runs. */
export async function agentProcesses(baton: Baton): Promise<RunningProcess[]> {
  const pids = await markedProcesses(ownerMark(await markerOf(baton)));
  const found = await Promise.all(pids.map(lookAt));
  return found.filter((process) => process !== undefined);
}

/** The agent's own program, which Baton itself started: of this session, or of the only one. */
export async function agentProgram(baton: Baton, session = ""): Promise<RunningProcess> {
  const started = (await agentProcesses(baton)).filter(({ parent }) => parent === baton.pid);
  const program = started.find(({ command }) => command.includes(session));
  if (program === undefined) throw new Error("no agent runs");
  return program;
}

/** The process of the agent with this command line, as soon as there is one. */
export function agentCommand(baton: Baton, line: string): Promise<RunningProcess> {
  return seen(`a process "${line}" of the agent`, async () =>
    (await agentProcesses(baton)).find(({ command }) => command === line),
  );
}

/** All processes with this command line, whoever started them. Those that a test leaves are ended with it. */
export async function processesNamed(line: string): Promise<number[]> {
  const named = (await allProcesses()).filter(({ command }) => command === line).map(({ pid }) => pid);
  onTestFinished(() => {
    for (const pid of named) if (isStill(pid, line)) process.kill(pid, "SIGKILL");
  });
  return named;
}

function isStill(pid: number, line: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() === line;
  } catch {
    return false;
  }
}

async function allProcesses(): Promise<RunningProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => lookAt(Number(pid))));
  return all.filter((process) => process !== undefined);
}

/** The guard of the process whose agents carry this mark, as soon as it is there and is not this one. */
export function guardOf(marker: string, before?: number): Promise<RunningProcess> {
  const mark = ownerMark(marker);
  return seen("the guard", async () =>
    (await allProcesses()).find(
      ({ pid, command }) => pid !== before && command.endsWith(`baton-guard ${mark.name}=${mark.value}`),
    ),
  );
}

/** Kills Baton and the guard that would end its agents, so that these are left to themselves. */
export async function killWithGuard(baton: Baton): Promise<void> {
  const marker = await markerOf(baton);
  onTestFinished(async () => {
    await endMarked(ownerMark(marker));
  });
  const guard = await guardOf(marker);
  // So that it cannot notice the death of its guard, and start another.
  process.kill(baton.pid, "SIGSTOP");
  process.kill(guard.pid, "SIGKILL");
  await baton.kill();
}

/** Resolves once nothing of this Baton's agents runs any more. */
export async function agentsGone(baton: Baton): Promise<void> {
  await seen("the end of all processes of the agent", async () => (await agentProcesses(baton)).length === 0);
}

/** Those of the processes that this one has started. */
export async function childrenOf(parent: number, pids: number[]): Promise<number[]> {
  const found = await Promise.all(pids.map(lookAt));
  return found.flatMap((process) => (process?.parent === parent ? [process.pid] : []));
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await lookAt(pid)) !== undefined;
}

async function markerOf(baton: Baton): Promise<string> {
  const started = await baton.event(({ type }) => type === "job:started");
  if (started.type !== "job:started") throw new Error("not the event that was asked for");
  return started.marker;
}

async function lookAt(pid: number): Promise<RunningProcess | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent has not noticed.
    if (state === "Z" || state === "X") return undefined;
    return { pid, parent: Number(parent), command: command.split("\0").join(" ").trim() };
  } catch {
    return undefined;
  }
}

/** Looks until there is something to see. Other processes' lives make no events that could be waited for. */
async function seen<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${PATIENCE_MS / 1000} s`);
    await sleep(LOOK_MS);
  }
}
