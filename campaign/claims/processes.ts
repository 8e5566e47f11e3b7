import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Struck, What } from "./judge.ts";
import type { WorkerOrders } from "./orders.ts";

const PROGRAM = join(import.meta.dirname, "worker.ts");

/** Who is struck: one process, all of a fleet at once, or one that only stands still for longer than its lease. */
export type Strike = "worker" | "fleet" | "asleep";

/** A process that is started again whenever it was killed. */
export class Worker {
  readonly fleet: number;
  /** What it says of its work, when it says so. */
  readonly says = new EventEmitter().setMaxListeners(0);
  readonly #orders: WorkerOrders;
  readonly #token: string;
  #child: ChildProcess | undefined;
  #isEnding = false;
  #last = "";
  #said = "";

  constructor(orders: WorkerOrders, { fleet, token }: { fleet: number; token: string }) {
    this.#orders = orders;
    this.fleet = fleet;
    this.#token = token;
  }

  async start(): Promise<void> {
    if (this.#isEnding) return;
    const child = fork(PROGRAM, [JSON.stringify(this.#orders)], {
      env: {
        ...{ PATH: process.env.PATH, HOME: this.#orders.folder, CLAIMS_TOKEN: this.#token },
        NODE_COMPILE_CACHE: this.#orders.compiled,
      },
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-2_000);
    });
    this.#child = child;
    this.#last = "";
    child.on("message", (what) => {
      if (this.#child !== child) return;
      this.#last = String(what);
      this.says.emit(this.#last);
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
    if (child.exitCode !== null) throw new Error(`a worker ended by itself: ${this.#said}`);
  }

  get isReady(): boolean {
    return this.#isRunning() && this.#last !== "";
  }

  get isAtWork(): boolean {
    return (
      this.isReady && ["tries", "claims", "begins", "delivers", "ends", "done", "failed"].includes(this.#last)
    );
  }

  /** Undefined where it is not running. */
  kill(): Struck | undefined {
    const { pid } = this.#child ?? {};
    if (pid === undefined || !this.#isRunning()) return undefined;
    const at = Date.now();
    this.#child?.kill("SIGKILL");
    return { pid, at, how: "killed" };
  }

  async standStill(ms: number): Promise<Struck | undefined> {
    const { pid } = this.#child ?? {};
    if (pid === undefined || !this.#isRunning()) return undefined;
    const at = Date.now();
    this.#child?.kill("SIGSTOP");
    await sleep(ms);
    this.#child?.kill("SIGCONT");
    return { pid, at, how: "asleep", until: Date.now() };
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    if (!this.#isRunning()) return;
    const exit = this.#child && once(this.#child, "exit");
    this.#child?.kill("SIGKILL");
    await exit;
  }

  #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }
}

interface Battle {
  workers: readonly Worker[];
  random: Random;
  leaseMs: number;
  /** Nobody, where whoever was meant had just ended. */
  struck: (ones: Struck[]) => void;
}

/** At these moments one would hardly ever be met by chance, and they are where it matters. */
const MOMENTS: readonly What[] = ["claims", "begins", "delivers", "ends", "done"];
const AIMED = 0.5;
const MOMENT_MS = 5_000;

async function firstToSay(what: What, workers: readonly Worker[]): Promise<Worker | undefined> {
  const heard = new AbortController();
  const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(MOMENT_MS)]);
  const all = workers.map(async (worker) => {
    await once(worker.says, what, { signal });
    return worker;
  });
  const first = await Promise.any(all).catch(() => undefined);
  heard.abort();
  return first;
}

/** Ends once whoever was struck runs again: at once, or so late that others have taken over. */
export async function strike(what: Strike, { workers, random, leaseMs, struck }: Battle): Promise<void> {
  const busy = workers.filter(({ isAtWork }) => isAtWork);
  const ready = workers.filter(({ isReady }) => isReady);
  const among = busy.length > 0 && random() < 0.8 ? busy : ready;
  const chosen = among[Math.floor(random() * among.length)];
  const after = random() < 0.7 ? random() * 300 : leaseMs * (1 + random());
  const moment = random() < AIMED ? MOMENTS[Math.floor(random() * MOMENTS.length)] : undefined;
  if (moment === undefined) await sleep(random() * 250);
  const victim = moment === undefined ? chosen : ((await firstToSay(moment, ready)) ?? chosen);
  if (!victim) return struck([]);
  if (what === "asleep") {
    const slept = await victim.standStill(leaseMs * (1 + random()));
    return struck(slept ? [slept] : []);
  }
  const victims = what === "fleet" ? workers.filter(({ fleet }) => fleet === victim.fleet) : [victim];
  const killed = victims.flatMap((worker) => {
    const one = worker.kill();
    return one ? [{ worker, one }] : [];
  });
  struck(killed.map(({ one }) => one));
  await sleep(after);
  await Promise.all(killed.map(({ worker }) => worker.start()));
}
