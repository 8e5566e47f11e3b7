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
import { type Measure, median, timed } from "./measure.ts";
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

/** What open streams cost the server while a job is at work, and how soon each hears of an event. */
export async function measureStreams({ streams, seconds }: StreamsWanted): Promise<Measure[]> {
  const folder = await emptyProject("streams");
  try {
    await using server = await servedFolders(folder);
    await using store = await openStore(join(folder, ".baton", "baton.db"));
    await using journal = await runningJob(store);
    const readers = new Readers(clientFor(server, folder), journal.job.id, streams);
    await readers.open();
    const uses: { at: number; use: ServeUse }[] = [];
    const began = performance.now();
    const look = async () => uses.push({ at: performance.now() - began, use: await server.use() });
    await look();
    const count = seconds * EVENTS_A_SECOND;
    for (let number = 0; number < count; number++) {
      await sleep(Math.max(0, began + (number * 1_000) / EVENTS_A_SECOND - performance.now()));
      await journal.record({ type: "text", session: SESSION, text: `What happened in turn ${number}.` });
      readers.wasWritten(journal.job.seq);
      if (number % EVERY === EVERY - 1) await look();
    }
    await readers.all(count);
    readers.close();
    return figures(uses, readers.latencies(), { streams, seconds, events: count });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function figures(
  uses: { at: number; use: ServeUse }[],
  latencies: Float64Array,
  counts: { streams: number; seconds: number; events: number },
): Measure[] {
  const [first] = uses;
  const last = uses.at(-1);
  if (!first || !last) throw new Error("Nothing was measured.");
  const settled = uses.slice(Math.floor(uses.length * WARM_UP_SHARE));
  const points = settled.map(({ at, use }) => ({ x: at / 60_000, y: use.neededMB ?? Number.NaN }));
  const detail = { ...counts, received: latencies.length };
  const share = (of: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * of))];
  return [
    {
      name: "streams-memory",
      value: slopeOf(points),
      unit: "MB",
      ...(counts.seconds >= TELLS_AFTER_SECONDS && { limit: FLAT_MB_A_MINUTE }),
      detail: {
        compared:
          "what the server needs more of its heap after a minute, from the first quarter of the time on",
        ...memoryOf("atStart", first.use),
        ...memoryOf("settled", settled[0]?.use),
        ...memoryOf("atEnd", last.use),
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
      value: share(0.95) ?? Number.NaN,
      unit: "ms",
      limit: LATENCY_LIMIT_MS,
      detail: {
        compared: "from an event in the journal to a client, 95th percentile",
        p50Ms: share(0.5) ?? Number.NaN,
        p99Ms: share(0.99) ?? Number.NaN,
        maxMs: latencies.at(-1) ?? Number.NaN,
        ...detail,
      },
    },
  ];
}

function memoryOf(when: string, use: ServeUse | undefined): Record<string, number> {
  return {
    [`${when}NeededMB`]: use?.neededMB ?? Number.NaN,
    [`${when}ResidentMB`]: use?.megabytes ?? Number.NaN,
  };
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
  readonly #count: number;
  readonly #ending = new AbortController();
  readonly #writtenAt = new Map<number, number>();
  readonly #heard: Map<number, number>[] = [];
  #failure: unknown;

  constructor(client: Client, job: string, count: number) {
    this.#client = client;
    this.#job = job;
    this.#count = count;
  }

  async open(): Promise<void> {
    const opened = Array.from({ length: this.#count }, () => {
      const begun = Promise.withResolvers<void>();
      const heard = new Map<number, number>();
      this.#heard.push(heard);
      this.#listen(heard, begun.resolve).catch((error: unknown) => {
        this.#failure = error;
        begun.reject(error);
      });
      return begun.promise;
    });
    await Promise.all(opened);
  }

  async #listen(heard: Map<number, number>, begun: () => void): Promise<void> {
    const topics = [...TOPICS, `job:${this.#job}`];
    for await (const { type, data } of this.#client.stream({ topics }, this.#ending)) {
      if (type === "begin") begun();
      if (type !== "event") continue;
      if (heard.has(data.seq)) throw new Error(`Event ${data.seq} came twice.`);
      heard.set(data.seq, performance.now());
    }
  }

  wasWritten(seq: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#writtenAt.set(seq, performance.now());
  }

  /** Until each has heard so many, or it is clear that one will not. */
  async all(count: number): Promise<void> {
    for (let wait = 0; wait < 300; wait++) {
      if (this.#heard.every(({ size }) => size >= count)) return;
      await sleep(100);
    }
    throw new Error(
      `A stream has told ${Math.min(...this.#heard.map(({ size }) => size))} of ${count} events.`,
    );
  }

  close(): void {
    this.#ending.abort();
  }

  /** The shortest first. */
  latencies(): Float64Array {
    const all = this.#heard.flatMap((heard) =>
      [...this.#writtenAt].map(([seq, at]) => Math.max(0, (heard.get(seq) ?? Number.NaN) - at)),
    );
    return Float64Array.from(all).sort();
  }
}

const SESSION = randomUUID();

async function emptyProject(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `baton-bench-${name}-`));
  writeFileSync(join(folder, "baton.yaml"), "agents:\n  - name: coder\n");
  return folder;
}

async function runningJob(store: Store): Promise<Journal> {
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
    const times = { many: Array.of<number>(), few: Array.of<number>() };
    const [ofMany, ofFew] = [pageOf(server, many, MANY), pageOf(server, few, FEW)];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const fewMs = await timed(ofFew);
      const manyMs = await timed(ofMany);
      if (round < 0) continue;
      times.few.push(fewMs);
      times.many.push(manyMs);
    }
    return {
      name: "page",
      value: median(times.many) / median(times.few),
      unit: "ratio",
      limit: 1.2,
      detail: {
        compared: `${PAGE} events over HTTP from the middle of a job of ${MANY} / of ${FEW}`,
        manyMs: median(times.many),
        fewMs: median(times.few),
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
