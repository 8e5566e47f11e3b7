import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { apply } from "../src/job/fold.ts";
import { jobId } from "../src/job/id.ts";
import { emptyJob } from "../src/job/job.ts";
import { rowOfJob } from "../src/store/job-row.ts";
import { openStore } from "../src/store/store.ts";
import { type Measure, timesOf } from "./measure.ts";
import { baton, type Place, run } from "./programs.ts";

const MANY = 100_000;
const FEW = 100;
const ROUNDS = 25;
const WARM_UP_ROUNDS = 3;

/** How long a user waits for the list of jobs where there are very many, against where there are few. */
export async function measureJobs(): Promise<Measure> {
  const root = await mkdtemp(join(tmpdir(), "baton-bench-jobs-"));
  try {
    const many = await projectWith(root, MANY);
    const few = await projectWith(root, FEW);
    const { manyMs, fewMs } = await timesOf(
      { many: () => listed(many), few: () => listed(few) },
      { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS },
    );
    return {
      name: "jobs",
      value: manyMs / fewMs,
      unit: "ratio",
      limit: 1.2,
      detail: {
        compared: `baton jobs with ${MANY} jobs / with ${FEW}`,
        manyMs,
        fewMs,
        rounds: ROUNDS,
      },
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function listed(place: Place): Promise<void> {
  const lines = (await run(baton("jobs"), place)).trimEnd().split("\n");
  if (lines.length < 2 || !lines[1]?.includes("completed")) throw new Error(`No list: ${lines.join("\n")}`);
}

/** A project in whose store this many jobs are on record, each at the end of the same few events. */
async function projectWith(root: string, count: number): Promise<Place> {
  const folder = join(root, String(count));
  const path = join(folder, ".baton", "baton.db");
  await (await openStore(path)).close();
  const database = new Database(path);
  database.pragma("synchronous = off");
  const into = (table: string, row: object) => {
    const names = Object.keys(row);
    return database.prepare(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})`,
    );
  };
  const example = rowsOf(0);
  const job = into("jobs", example.job);
  const event = into("events", example.events[0] ?? {});
  database.transaction(() => {
    for (let index = 0; index < count; index++) {
      const rows = rowsOf(index);
      job.run(rows.job);
      for (const row of rows.events) event.run(row);
    }
  })();
  database.close();
  const { PATH = "", XDG_STATE_HOME = "" } = process.env;
  return { folder, env: { PATH, HOME: root, XDG_STATE_HOME } };
}

const FIRST_AT = Date.parse("2026-01-01T00:00:00Z");
const session = "00000000-0000-4000-8000-000000000000";
const happened: JobEvent[] = [
  { type: "job:created", agent: "coder", prompt: "Write the files of all steps.", agentConfig: {} },
  { type: "job:started", pid: 1, marker: "m" },
  { type: "session:starting", session, ordinal: 1, mode: "fresh" },
  { type: "message:sent", session, kind: "request", text: "Write the files of all steps." },
  { type: "text", session, text: "I write the files. ".repeat(20) },
  { type: "job:completed", result: "All steps are done. ".repeat(20) },
];

function rowsOf(index: number) {
  const now = new Date(FIRST_AT + index * 60_000);
  const id = jobId(
    now,
    Uint8Array.from({ length: 6 }, (_, place) => Math.floor(index / 32 ** place) % 32),
  );
  const events = happened.map(
    (event, place): JournalEvent => ({
      seq: place + 1,
      at: now.toISOString(),
      job: id,
      attempt: 1,
      ...event,
    }),
  );
  const job = events.reduce(apply, emptyJob(id));
  const { agent, createdAt: created_at, attempt } = job;
  return {
    job: { id, agent, created_at, attempt, owner: null, ...rowOfJob(job) },
    events: events.map(({ seq, at, job, attempt, type, ...data }) => ({
      job,
      seq,
      at,
      attempt,
      type,
      data: JSON.stringify(data),
    })),
  };
}
