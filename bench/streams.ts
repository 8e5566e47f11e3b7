import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../src/client.ts";
import { Journal } from "../src/jobs/journal.ts";
import { newJobId } from "../src/jobs/new-id.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { type Measure, timesOf } from "./measure.ts";
import type { ServeUse } from "./serve-process.ts";
import { type BenchServer, clientFor, servedFolders } from "./served.ts";
import { idOf, storeOf } from "./store-of.ts";

export interface StreamsWanted {
  streams: number;
  seconds: number;
}

const EVENTS_A_SECOND = 50;
/** So many events between two looks at the server. */
const EVERY = 5 * EVENTS_A_SECOND;
/** A dashboard with one job open. */
const TOPICS = ["fleet", "inbox", "jobs"];
const WARM_UP_SHARE = 0.25;
/** Before, what grows is what every process needs. */
const TELLS_AFTER_SECONDS = 60;
const FLAT_MB_A_MINUTE = 1;
const LATENCY_LIMIT_MS = 250;
/** At so many of them it is said what the server held. */
const MOMENTS = 7;

/** What open streams cost the server while a job is at work, and how soon each hears of an event. */
export async function measureStreams({ streams, seconds }: StreamsWanted): Promise<Measure[]> {
  const folder = await emptyProject("streams");
  try {
    await using server = await servedFolders(folder);
    await using store = await openStore(join(folder, ".baton", "baton.db"));
    await using journal = await runningJob(store);
    const count = seconds * EVENTS_A_SECOND;
    const readers = new Readers(clientFor(server, folder), { job: journal.job, streams, count });
    await readers.open();
    const uses: Look[] = [];
    const began = performance.now();
    const look = async () => uses.push({ at: performance.now() - began, use: await server.use() });
    await look();
    for (let number = 0; number < count; number++) {
      await sleep(Math.max(0, began + (number * 1_000) / EVENTS_A_SECOND - performance.now()));
      await journal.record({ type: "text", session: SESSION, text: `What happened in turn ${number}.` });
      readers.wasWritten(journal.job.seq);
      if (number % EVERY === EVERY - 1) await look();
    }
    await readers.all();
    readers.close();
    return figures(uses, readers, { streams, seconds, events: count });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What the server had used, so many milliseconds after the beginning. */
interface Look {
  at: number;
  use: ServeUse;
}

function figures(
  uses: readonly Look[],
  readers: Readers,
  counts: { streams: number; seconds: number; events: number },
): Measure[] {
  const [first] = uses;
  const last = uses.at(-1);
  if (!first || !last) throw new Error("Nothing was measured.");
  const settled = uses.slice(Math.floor(uses.length * WARM_UP_SHARE));
  const perMinute = (of: (use: ServeUse) => number) =>
    slopeOf(settled.map(({ at, use }) => ({ x: at / 60_000, y: of(use) })));
  const latencies = readers.latencies();
  const detail = { ...counts, received: latencies.length };
  return [
    {
      name: "streams-memory",
      value: perMinute(({ neededMB }) => neededMB),
      unit: "MB",
      ...(counts.seconds >= TELLS_AFTER_SECONDS && { limit: FLAT_MB_A_MINUTE }),
      detail: {
        compared:
          "what the server needs more of its heap after a minute, from the first quarter of the time on",
        residentMBAMinute: perMinute(({ residentMB }) => residentMB),
        ...memoryAt(uses),
        ...detail,
      },
    },
    {
      name: "streams-cpu",
      value: (last.use.cpuMs - first.use.cpuMs) / (last.at - first.at),
      unit: "share",
      detail: { compared: "processor time of the server / time, of one core", ...detail },
    },
    {
      name: "streams-latency",
      value: shareOf(latencies, 0.95),
      unit: "ms",
      limit: LATENCY_LIMIT_MS,
      detail: {
        compared: "from an event in the journal to a client, 95th percentile",
        p50Ms: shareOf(latencies, 0.5),
        p99Ms: shareOf(latencies, 0.99),
        maxMs: latencies.at(-1) ?? Number.NaN,
        p95FirstQuarterMs: shareOf(readers.latencies(0, 0.25), 0.95),
        p95LastQuarterMs: shareOf(readers.latencies(0.75, 1), 0.95),
        ...detail,
      },
    },
  ];
}

/** At some moments from the beginning to the end, in megabytes: needed, once all else was thrown away; held by the heap; and resident. */
function memoryAt(uses: readonly Look[]): Record<string, string> {
  const moments = Array.from({ length: MOMENTS }, (_, at) =>
    uses.at(Math.round((at * (uses.length - 1)) / (MOMENTS - 1))),
  ).filter((look) => look !== undefined);
  const line = (of: (look: Look) => number) => moments.map((look) => Math.round(of(look))).join(" ");
  return {
    atSeconds: line(({ at }) => at / 1_000),
    neededMB: moments.map(({ use }) => use.neededMB.toFixed(1)).join(" "),
    heldMB: line(({ use }) => use.heldMB),
    residentMB: line(({ use }) => use.residentMB),
  };
}

/** Of figures in order. */
function shareOf(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Of the line with the least squares. */
function slopeOf(points: readonly { x: number; y: number }[]): number {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  return mean(({ x, y }) => (x - meanX) * (y - meanY)) / mean(({ x }) => (x - meanX) ** 2);
}

/** Clients that each listen to one job, and must hear every event of it once. */
class Readers {
  readonly #client: Client;
  readonly #job: string;
  /** Of the newest event before all that are counted. */
  readonly #before: number;
  readonly #streams: number;
  readonly #count: number;
  readonly #ending = new AbortController();
  readonly #writtenAt: Float64Array;
  /** By stream and event, in milliseconds; not a number: not heard yet. */
  readonly #took: Float64Array;
  #left: number;
  #failure: unknown;

  constructor(
    client: Client,
    { job, streams, count }: { job: { id: string; seq: number }; streams: number; count: number },
  ) {
    this.#client = client;
    this.#job = job.id;
    this.#before = job.seq;
    this.#streams = streams;
    this.#count = count;
    this.#left = streams * count;
    this.#writtenAt = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.#took = new Float64Array(streams * count).fill(Number.NaN);
  }

  async open(): Promise<void> {
    const opened = Array.from({ length: this.#streams }, (_, stream) => {
      const begun = Promise.withResolvers<void>();
      this.#listen(stream, begun.resolve).catch((error: unknown) => {
        this.#failure = error;
        begun.reject(error);
      });
      return begun.promise;
    });
    await Promise.all(opened);
  }

  async #listen(stream: number, begun: () => void): Promise<void> {
    const topics = [...TOPICS, `job:${this.#job}`];
    for await (const { type, data } of this.#client.stream({ topics }, this.#ending)) {
      if (type === "begin") begun();
      if (type !== "event") continue;
      const event = data.seq - this.#before - 1;
      const at = stream * this.#count + event;
      if (!Number.isNaN(this.#took[at])) throw new Error(`Event ${data.seq} came twice, or was not written.`);
      // Some are heard before their writer knows that they are on record.
      this.#took[at] = Math.max(0, performance.now() - (this.#writtenAt[event] ?? 0));
      this.#left--;
    }
  }

  wasWritten(seq: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#writtenAt[seq - this.#before - 1] = performance.now();
  }

  /** Until each has heard all, or it is clear that one will not. */
  async all(): Promise<void> {
    for (let wait = 0; wait < 300; wait++) {
      if (this.#left === 0) return;
      if (this.#failure !== undefined) throw this.#failure;
      await sleep(100);
    }
    throw new Error(`${this.#left} of ${this.#took.length} events were not told.`);
  }

  close(): void {
    this.#ending.abort();
  }

  /** Those of a part of the events, the shortest first. */
  latencies(from = 0, to = 1): Float64Array {
    const [first, end] = [from, to].map((share) => Math.floor(share * this.#count));
    return this.#took
      .filter((_, at) => at % this.#count >= (first ?? 0) && at % this.#count < (end ?? 0))
      .sort();
  }
}

export const SESSION = randomUUID();

export async function emptyProject(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `baton-bench-${name}-`));
  writeFileSync(join(folder, "baton.yaml"), "agents:\n  - name: coder\n");
  return folder;
}

export async function runningJob(store: Store): Promise<Journal> {
  const id = newJobId();
  const now = () => new Date();
  await createJob(
    store,
    id,
    { type: "job:created", agent: "coder", prompt: "Take your turns.", agentConfig: {} },
    now(),
  );
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  await journal.record({ type: "session:starting", session: SESSION, ordinal: 1, mode: "fresh" });
  return journal;
}

const MANY = 100_000;
const FEW = 1_000;
const PAGE = 100;
const ROUNDS = 31;
const WARM_UP_ROUNDS = 5;

/** A page of events from the middle of a very long job, against the same of a short one. */
export async function measurePage(): Promise<Measure> {
  const root = await emptyProject("page");
  const folderOf = (events: number) => {
    const folder = join(root, String(events));
    mkdirSync(folder);
    writeFileSync(join(folder, "baton.yaml"), "agents:\n  - name: coder\n");
    return folder;
  };
  const [many, few] = [folderOf(MANY), folderOf(FEW)];
  try {
    await storeOf(many, 1, MANY);
    await storeOf(few, 1, FEW);
    await using server = await servedFolders(many, few);
    const { manyMs, fewMs } = await timesOf(
      { many: pageOf(server, many, MANY), few: pageOf(server, few, FEW) },
      { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS },
    );
    return {
      name: "page",
      value: manyMs / fewMs,
      unit: "ratio",
      limit: 1.2,
      detail: {
        compared: `${PAGE} events over HTTP from the middle of a job of ${MANY} / of ${FEW}`,
        manyMs,
        fewMs,
        rounds: ROUNDS,
      },
    };
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function pageOf(server: BenchServer, folder: string, events: number): () => Promise<void> {
  const client = clientFor(server, folder);
  return async () => {
    const page = await client.listEvents({ job: idOf(0), limit: PAGE, before: events / 2 });
    if (page.events.length !== PAGE || page.seq !== events)
      throw new Error(`No page: ${JSON.stringify(page)}`);
  };
}
