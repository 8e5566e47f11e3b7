import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Halt, halted, recordHalt, removeHalt } from "../../files/halt.ts";
import { madeStores } from "../../files/made-here.ts";
import { ownedJobs } from "../../store/claims.ts";
import { sendRequest } from "../../store/requests.ts";
import { openStore } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { UsageError } from "../usage-error.ts";

export interface Halted extends Halt {
  /** What was at work, of whichever project and process, and has stopped. */
  stopped: HaltedJob[];
  /** What was asked to stop, and still runs. */
  running: HaltedJob[];
  /** Stores that could not be looked into. */
  problems: string[];
}

export interface HaltedJob {
  job: string;
  agent: string;
  store: string;
  pid: number;
}

/** One claim of one job. */
interface Claimed extends HaltedJob {
  since: string;
}

const POLL_MS = 100;
const PATIENCE_MS = 60_000;
const WHY = "All work was halted, by `baton halt`.";

/** Forbids every start, and stops all jobs of this user: each is interrupted, and nothing of it is lost. */
export async function haltAll(now: Date): Promise<Halted> {
  const halt = await recordHalt(now);
  const asked = new Map<string, Claimed>();
  const problems = new Map<string, string>();
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const running = await atWork(problems);
    for (const job of running) {
      const key = keyOf(job);
      if (asked.has(key)) continue;
      asked.set(key, job);
      await askToStop(job);
    }
    if (running.length === 0 || performance.now() > deadline) {
      const left = new Set(running.map(keyOf));
      const stopped = [...asked.values()].filter((job) => !left.has(keyOf(job)));
      return {
        ...halt,
        stopped: stopped.map(shown),
        running: running.map(shown),
        problems: [...problems.values()],
      };
    }
    await sleep(POLL_MS);
  }
}

/** Whoever resumes it is asked again. */
const keyOf = ({ store, job, since }: Claimed) => `${store}\0${job}\0${since}`;

const shown = ({ since: _, ...job }: Claimed): HaltedJob => job;

async function atWork(problems: Map<string, string>): Promise<Claimed[]> {
  const found: Claimed[] = [];
  for (const path of madeStores().filter((each) => existsSync(each))) {
    try {
      await using store = await openStore(path);
      const owned = await ownedJobs(store);
      found.push(
        ...owned.map(({ job, agent, owner: { pid, since } }) => ({ job, agent, store: path, pid, since })),
      );
    } catch (error) {
      problems.set(path, `${path}: ${messageOf(error)}`);
    }
  }
  return found;
}

async function askToStop({ store: path, job }: HaltedJob): Promise<void> {
  await using store = await openStore(path);
  await sendRequest(store, job, { kind: "interrupt", payload: { why: WHY }, at: new Date().toISOString() });
}

/** Allows work to start again. Says since when it was not. */
export function unhalt(): Halt {
  const halt = halted();
  if (!halt) throw new UsageError("Nothing is halted.");
  removeHalt();
  return halt;
}
