import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isOfSession, sessionNamedIn, surroundings } from "../../agents/claude/own/surroundings.ts";
import { findTranscript } from "../../agents/claude/own/transcript.ts";
import { parentOf } from "../../processes/ancestors.ts";
import { isOfJob } from "../../processes/inside-job.ts";
import { startTimeOf } from "../../processes/owner.ts";
import { newestOf } from "./chain.ts";
import type { Registry } from "./registry.ts";
import { newSession, type OwnSession } from "./session.ts";

export interface Whereabouts {
  registry: Registry;
  env: Record<string, string>;
  pid: number;
  cwd: string;
  /** The folder that the project's handoffs and configuration are in. */
  project: string;
}

/**
 * The session that this process was started by. One program runs many sessions one after the other, and its servers live
 * on through a clear, so the registry is asked which one runs in the program now; the id that the program once put into
 * our environment is that of the first.
 */
export async function ourSession(where: Whereabouts): Promise<OwnSession | undefined> {
  const live = (await where.registry.list()).filter(({ ended }) => ended === null);
  const programs = await starters(where.pid);
  const running = live.find(({ process }) => process !== null && isAmong(programs, process));
  if (running) return running;
  const named = sessionNamedIn(where.env);
  if (named === undefined) {
    // A session whose program is known, and did not start us, is another's: this is some other client in its folder.
    return live.find(({ process, cwd }) => process === null && cwd === where.cwd);
  }
  const known = await where.registry.find(named);
  if (known) return known.ended === null ? known : undefined;
  return unregistered(named, where);
}

const DEEPEST = 64;

/** The session in whose shell this process runs, through however many programs. Undefined where it is none's. */
export async function sessionAround({
  registry,
  env,
  pid,
}: Pick<Whereabouts, "registry" | "pid"> & { env: NodeJS.ProcessEnv }): Promise<OwnSession | undefined> {
  if (!isOfSession(env) || isOfJob(env)) return undefined;
  const live = (await registry.list()).filter(({ ended }) => ended === null);
  for (let at = await parentOf(pid), depth = 0; at && at > 1 && depth < DEEPEST; depth++) {
    const program = [at];
    const found = live.find(({ process }) => process !== null && isAmong(program, process));
    if (found) return found;
    at = await parentOf(at);
  }
  // What a session left running belongs to whoever has its work now.
  const named = await registry.find(sessionNamedIn(env) ?? "");
  return named && newestOf(registry, named);
}

/** The program starts its servers itself, or through one wrapper. Further up is the session that it was started from. */
async function starters(pid: number): Promise<number[]> {
  const parent = await parentOf(pid);
  const grandparent = parent === undefined ? undefined : await parentOf(parent);
  return [parent, grandparent].filter((found) => found !== undefined);
}

/** Numbers of processes come again. One that began at another time is another. */
function isAmong(
  programs: readonly number[],
  { pid, startTime }: { pid: number; startTime: string },
): boolean {
  return programs.includes(pid) && (startTimeOf(pid) ?? startTime) === startTime;
}

const LOOKS = 20;
const LOOK_MS = 100;

/** Claude Code begins its transcript a moment later than its conversation. */
async function writtenSoon(find: () => Promise<string | undefined>): Promise<string | undefined> {
  for (let look = 1; look < LOOKS; look++) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(LOOK_MS);
  }
  return find();
}

/** A session whose hooks are missing, as far as its environment tells. */
async function unregistered(id: string, { env, cwd, project }: Whereabouts): Promise<OwnSession | undefined> {
  const transcript = await writtenSoon(() => findTranscript(env, id));
  if (transcript === undefined) return undefined;
  const { birthtime, mtime } = await stat(transcript);
  const { kind, pane, role = "single" } = surroundings(env);
  return newSession({
    id,
    kind,
    cwd,
    project,
    transcript,
    pane,
    role,
    startedAt: birthtime.toISOString(),
    seenAt: mtime.toISOString(),
  });
}
