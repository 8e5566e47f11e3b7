import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkspaceConfig } from "../config/config.ts";
import { takeLock } from "../files/holder-lock.ts";
import { narrowFolder } from "../files/own-folder.ts";
import { replaceFile } from "../files/replace.ts";
import { stateFolder } from "../files/state-folder.ts";
import { liveness, type ProcessIdentity, thisProcess } from "../processes/owner.ts";
import { fromJson, isFields } from "../util/json.ts";
import { WorkspaceTaken } from "./workspace.ts";

/** A job that works in a folder of the user's, not in a worktree of its own. */
export interface Occupant {
  job: string;
  /** Without links. */
  folder: string;
  /** The top of the checkout that it lies in. */
  top?: string;
}

interface Recorded extends Occupant {
  owner: ProcessIdentity;
}

interface Entering {
  policy: WorkspaceConfig["onFolderBusy"];
  signal: AbortSignal;
  warn: (message: string) => void;
  /** Called before the wait for a job. */
  waits: (behind: string, message: string) => Promise<void>;
}

const POLL_MS = 250;

/** Whether two jobs change the same files: in one folder, in one below the other, or in the same checkout. */
export function meet(a: Omit<Occupant, "job">, b: Omit<Occupant, "job">): boolean {
  const isIn = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(outer === sep ? sep : outer + sep);
  return isIn(a.folder, b.folder) || isIn(b.folder, a.folder) || (a.top !== undefined && a.top === b.top);
}

/**
 * Records, for this user and whatever project, that a job works in a folder; what others do there already decides how.
 * Returns what takes it back. A process that is killed takes it back by its death.
 */
export async function enterFolder(job: string, path: string, entering: Entering): Promise<() => void> {
  const { policy, signal, warn, waits } = entering;
  const mine = placeOf(job, path);
  let behind: string | undefined;
  for (;;) {
    // Where nothing can be recorded, a warning is not worth a job.
    const other = await entered(mine, policy).catch((error: unknown) => {
      if (policy !== "warn") throw error;
      return undefined;
    });
    if (!other) return () => leave(job);
    switch (policy) {
      case "warn":
        warn(
          `${inWords(other)}, too: both can change the same files. Set workspace.on_folder_busy to queue to wait for it, or give each job a worktree.`,
        );
        return () => leave(job);
      case "refuse":
        throw new WorkspaceTaken(
          `${inWords(other)}, so this one was not started (workspace.on_folder_busy: refuse).`,
        );
      case "queue":
        if (behind !== other.job)
          await waits(other.job, `${inWords(other)}. This job waits until that is over.`);
        behind = other.job;
        await sleep(POLL_MS, undefined, { signal });
    }
  }
}

/** Who is in the way. Where nobody is, or it does not matter, this job is on record when it returns. */
async function entered(mine: Occupant, policy: Entering["policy"]): Promise<Recorded | undefined> {
  const release = await takeLock(join(recordFolder(), "lock"));
  try {
    const other = others(mine.job).find((each) => meet(each, mine));
    if (!other || policy === "warn") await write({ ...mine, owner: thisProcess() });
    return other;
  } finally {
    release();
  }
}

/** Those at work. A job that runs this very process, as one of its commands, waits for it and is in nobody's way. */
function others(job: string): Recorded[] {
  const folder = recordFolder();
  const outer = process.env.BATON_JOB_ID;
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const found = read(join(folder, name));
      if (!found || found.job === job || found.job === outer) return [];
      if (liveness(found.owner) !== "dead") return [found];
      rmSync(join(folder, name), { force: true });
      return [];
    });
}

function inWords({ job, folder, owner }: Recorded): string {
  return `${job} works in ${folder} (process ${owner.pid})`;
}

function placeOf(job: string, path: string): Occupant {
  const folder = realpathSync(path);
  const top = topOf(folder);
  return { job, folder, ...(top !== undefined && { top }) };
}

function topOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : topOf(above);
}

const recordFolder = () => join(stateFolder(), "at-work");

async function write(entry: Recorded): Promise<void> {
  mkdirSync(recordFolder(), { recursive: true, mode: 0o700 });
  narrowFolder(stateFolder());
  await replaceFile(entryOf(entry.job), JSON.stringify(entry), 0o600);
}

/** Another process may have resumed the job since. */
function leave(job: string): void {
  const path = entryOf(job);
  const { pid, startTime } = read(path)?.owner ?? {};
  const here = thisProcess();
  if (pid === here.pid && startTime === here.startTime) rmSync(path, { force: true });
}

const entryOf = (job: string) => join(recordFolder(), `${job}.json`);

function read(path: string): Recorded | undefined {
  try {
    const value = fromJson(readFileSync(path, "utf8"));
    return isRecorded(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecorded(value: unknown): value is Recorded {
  return (
    isFields(value) &&
    typeof value.job === "string" &&
    typeof value.folder === "string" &&
    isFields(value.owner) &&
    typeof value.owner.pid === "number"
  );
}
