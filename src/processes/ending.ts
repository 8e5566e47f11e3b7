import { setTimeout as sleep } from "node:timers/promises";
import { onLinux, processNumbers, statOf } from "./proc.ts";

/** How long a process that was asked to end may take to put its things in order, before it is killed. */
export const END_GRACE_MS = 2_000;
const LOOK_MS = 20;
/** After the grace: a process can start another between the look and the kill. */
const MOST_KILLS = 50;

/** When each process was asked to end: two who look for it ask it once, because many take a second signal for haste. */
const asked = new Map<number, number>();

/**
 * Asks all that are found to end, and waits for that. What is still there after the grace is killed, until none is left. One
 * look without any is not enough to tell: a process that is just becoming another program has no environment for a moment.
 * Says how many there were.
 */
export async function endAll(look: () => Promise<number[]>): Promise<number> {
  const seen = new Set<number>();
  let deadline = Number.POSITIVE_INFINITY;
  let looksWithout = 0;
  for (let kills = 0; kills < MOST_KILLS; ) {
    const pids = await look();
    looksWithout = pids.length === 0 ? looksWithout + 1 : 0;
    if (looksWithout === 2) break;
    const now = performance.now();
    if (pids.length > 0) deadline = Math.min(deadline, now + END_GRACE_MS);
    const isLate = now >= deadline;
    for (const pid of pids) {
      seen.add(pid);
      if (isLate) signalTo(pid, "SIGKILL");
      else askToEnd(pid, now);
    }
    if (isLate) kills++;
    await sleep(looksWithout === 1 ? 2 : LOOK_MS);
  }
  return seen.size;
}

/** The same for a process group. Resolves when nobody of it runs any more. */
export async function endGroup(group: number): Promise<void> {
  if (!isGroupAlive(group)) return;
  const deadline = performance.now() + END_GRACE_MS;
  askToEnd(-group, performance.now());
  while (performance.now() < deadline) {
    await sleep(LOOK_MS);
    if (!isGroupAlive(group)) return;
  }
  signalTo(-group, "SIGKILL");
}

/** Below zero it is a group. */
function askToEnd(pid: number, now: number): void {
  for (const [known, at] of asked) if (now - at > END_GRACE_MS) asked.delete(known);
  if (asked.has(pid)) return;
  asked.set(pid, now);
  signalTo(pid, "SIGTERM");
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

/** One that has ended counts no more, although nobody may have asked how. */
function isGroupAlive(group: number): boolean {
  if (onLinux) return processNumbers().some((pid) => isRunningIn(pid, group));
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function isRunningIn(pid: string, group: number): boolean {
  try {
    const stat = statOf(pid);
    return stat.group === group && stat.state !== "Z" && stat.state !== "X";
  } catch {
    return false;
  }
}
