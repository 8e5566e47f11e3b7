import { join } from "node:path";
import Database from "better-sqlite3";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { apply } from "../src/job/fold.ts";
import { jobId } from "../src/job/id.ts";
import { emptyJob, type Job } from "../src/job/job.ts";
import { type Spend, spendOf, together } from "../src/job/spend.ts";
import { rowOfJob } from "../src/store/job-row.ts";
import { addSpend } from "../src/store/spend.ts";
import { openStore } from "../src/store/store.ts";

export const AGENTS = ["coder", "reviewer", "tester", "writer"];
const MODELS = ["claude-opus-4-1", "claude-sonnet-4-5"];
const AREAS = [
  "login",
  "billing",
  "search",
  "import",
  "reports",
  "mail",
  "uploads",
  "themes",
  "queue",
  "cache",
];
const FIRST_AT = Date.parse("2020-01-01T00:00:00Z");
const PACE_MS = 15 * 60_000;
const EVENT_MS = 6_000;
const ENDS = ["failed", "paused", "completed"];
const session = "00000000-0000-4000-8000-000000000000";

export function idOf(index: number): string {
  const random = Uint8Array.from({ length: 6 }, (_, place) => Math.floor(index / 32 ** place) % 32);
  return jobId(new Date(FIRST_AT + index * PACE_MS), random);
}

/** The middle of a job is turns of a model with a tool call each, as a real one has. */
function happened(agent: string, model: string, end: string, count: number): JobEvent[] {
  const turn = (number: number): JobEvent[] => [
    {
      type: "response",
      session,
      model,
      usage: { input: 12, output: 340, cacheRead: 40_000 + number, cacheWrite: 900 },
      costUsd: 0.02,
      context: { tokens: 40_000 + number * 900, window: 200_000, percent: 20 },
    },
    { type: "tool:start", session, id: `call-${number}`, name: "Bash", summary: "npm test" },
    { type: "tool:end", session, id: `call-${number}`, ok: true, output: "all tests pass ".repeat(8) },
  ];
  const begin: JobEvent[] = [
    { type: "job:created", agent, prompt: "", agentConfig: {} },
    { type: "job:started", pid: 1, marker: "m" },
    { type: "session:starting", session, ordinal: 1, mode: "fresh" },
    { type: "message:sent", session, kind: "request", text: "Do it." },
  ];
  const turns = Array.from({ length: count }, (_, number) => turn(number)).flat();
  return [...begin, ...turns.slice(0, count - begin.length - 1), endOf(end)];
}

function endOf(end: string): JobEvent {
  if (end === "failed") return { type: "job:failed", error: "The tests are red." };
  if (end === "paused") return { type: "job:paused", code: "limit_reached", message: "limits.turns is 30" };
  return { type: "job:completed", result: "All of it is done, and the tests are green." };
}

interface Kind {
  agent: string;
  job: Job;
  spent: Spend[];
}

/** The jobs of one kind are alike but for their times, ids and requests. */
function kindOf(database: Database.Database, kind: number, agent: string, end: string, count: number): Kind {
  const events = happened(agent, MODELS[kind % MODELS.length] ?? "", end, count);
  const keep = database.prepare("INSERT INTO temp.happened VALUES (?, ?, ?, ?)");
  let job = emptyJob("job");
  const spent: Spend[] = [];
  for (const [index, event] of events.entries()) {
    const at = new Date(FIRST_AT + index * EVENT_MS).toISOString();
    const entry: JournalEvent = { seq: index + 1, at, job: "job", attempt: 1, ...event };
    const after = apply(job, entry);
    spent.push(...spendOf(job, after, entry));
    job = after;
    const { type, ...data } = event;
    keep.run(kind, index + 1, type, JSON.stringify(data));
  }
  return { agent, job, spent: together(spent) };
}

/** A store with this many jobs of so many events each, one after the other at the same pace, made with plain inserts. */
export async function storeOf(folder: string, jobs: number, eventsOfJob: number): Promise<void> {
  const path = join(folder, ".baton", "baton.db");
  await using store = await openStore(path);
  const database = new Database(path);
  database.pragma("synchronous = off");
  database.pragma("cache_size = -400000");
  database.exec(
    "CREATE TEMP TABLE happened (kind INTEGER, seq INTEGER, type TEXT, data TEXT, PRIMARY KEY (kind, seq))",
  );
  const used = new Set(Array.from({ length: Math.min(jobs, KINDS_REPEAT) }, (_, index) => kindAt(index)));
  const kinds = ENDS.flatMap((end) => AGENTS.map((agent) => ({ end, agent }))).map(({ end, agent }, kind) =>
    used.has(kind) ? kindOf(database, kind, agent, end, eventsOfJob) : undefined,
  );
  const addEvents = database.prepare(
    `INSERT INTO events (job, seq, at, attempt, version, type, data)
     SELECT ?, seq, ?, 1, 1, type, data FROM temp.happened WHERE kind = ? ORDER BY seq`,
  );
  let addJob: Database.Statement | undefined;
  const rows = database.transaction((from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const kind = kindAt(index);
      const of = kinds[kind];
      if (!of) continue;
      const row = rowOf(index, of);
      addJob ??= database.prepare(
        `INSERT INTO jobs (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
          .map((name) => `@${name}`)
          .join(", ")})`,
      );
      addJob.run(row);
      addEvents.run(row.id, row.created_at, kind);
    }
  });
  const STEP = 5_000;
  for (let from = 0; from < jobs; from += STEP) rows(from, Math.min(jobs, from + STEP));
  database.close();
  await store.db.transaction().execute(async (db) => {
    for (let index = 0; index < jobs; index++) {
      const quarter = new Date(FIRST_AT + index * PACE_MS).toISOString();
      const spent = kinds[kindAt(index)]?.spent ?? [];
      await addSpend(db, together(spent.map((spend) => ({ ...spend, quarter }))));
    }
  });
}

/** After so many jobs their kinds come again in the same order. */
const KINDS_REPEAT = 20 * 7 * AGENTS.length;

/** Of twenty jobs two have failed and one is paused. */
function kindAt(index: number): number {
  const place = index % 20;
  const end = place === 3 || place === 13 ? 0 : place === 7 ? 1 : 2;
  return end * AGENTS.length + (Math.floor(index / 7) % AGENTS.length);
}

function rowOf(index: number, { agent, job }: Kind) {
  const createdAt = new Date(FIRST_AT + index * PACE_MS).toISOString();
  const ended = new Date(FIRST_AT + index * PACE_MS + job.seq * EVENT_MS).toISOString();
  const id = idOf(index);
  const prompt = `Mend the ${AREAS[index % AREAS.length]} page of customer ${index}, and say what was wrong with it.`;
  const own: Job = {
    ...{ ...job, id, prompt, createdAt, updatedAt: ended },
    finishedAt: job.finishedAt && ended,
  };
  return { id, agent, created_at: createdAt, attempt: 1, owner: null, ...rowOfJob(own) };
}
