import type { Database } from "better-sqlite3";
import { currentEvent } from "../../job/event-versions.ts";
import type { JournalEvent } from "../../job/events.ts";
import { apply } from "../../job/fold.ts";
import { emptyJob } from "../../job/job.ts";
import { SPENDING_TYPES, type Spend, spendOf, together } from "../../job/spend.ts";
import { addSums } from "./sums-step.ts";

type Step = string | ((database: Database) => void);

/** Step n takes a store from schema n to n + 1. A released step never changes. */
const steps: Step[] = [
  `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    created_at TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner TEXT,
    seq INTEGER NOT NULL,
    snapshot TEXT
  ) STRICT;
  CREATE INDEX jobs_by_age ON jobs (created_at, id);
  CREATE INDEX jobs_owned ON jobs (id) WHERE owner IS NOT NULL;

  CREATE TABLE events (
    job TEXT NOT NULL REFERENCES jobs (id),
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (job, seq)
  ) STRICT;

  CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL REFERENCES jobs (id),
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    at TEXT NOT NULL,
    taken_at TEXT
  ) STRICT;
  CREATE INDEX requests_open ON requests (job) WHERE taken_at IS NULL;
  `,
  `
  ALTER TABLE jobs ADD COLUMN leaves TEXT;
  UPDATE jobs SET snapshot = NULL;
  CREATE INDEX jobs_leaving ON jobs (id) WHERE leaves IS NOT NULL;

  CREATE TABLE kept_sessions (
    agent TEXT NOT NULL,
    work_item TEXT NOT NULL,
    session TEXT NOT NULL,
    job TEXT NOT NULL REFERENCES jobs (id),
    folder TEXT NOT NULL,
    program TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (agent, work_item)
  ) STRICT;
  `,
  (database) => {
    foldAgain(database);
    database.exec(`
    CREATE TABLE jobs_3 (
      id TEXT PRIMARY KEY,
      agent TEXT NOT NULL,
      created_at TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      owner TEXT,
      seq INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'created',
      updated_at TEXT NOT NULL DEFAULT '',
      finished_at TEXT,
      epic TEXT,
      handoffs INTEGER NOT NULL DEFAULT 0,
      leaves TEXT,
      snapshot TEXT
    ) STRICT;
    INSERT INTO jobs_3
      SELECT id, agent, created_at, attempt, owner, seq,
        snapshot ->> 'status', snapshot ->> 'updatedAt', snapshot ->> 'finishedAt', snapshot ->> 'epic',
        json_array_length(snapshot, '$.handoffs'), leaves, snapshot
      FROM jobs ORDER BY rowid;
    DROP TABLE jobs;
    ALTER TABLE jobs_3 RENAME TO jobs;
    CREATE INDEX jobs_by_age ON jobs (created_at, id);
    CREATE INDEX jobs_by_status ON jobs (status, created_at, id);
    CREATE INDEX jobs_by_epic ON jobs (epic, created_at, id) WHERE epic IS NOT NULL;
    CREATE INDEX jobs_handed_off ON jobs (created_at, id) WHERE handoffs > 0;
    CREATE INDEX jobs_owned ON jobs (id) WHERE owner IS NOT NULL;
    CREATE INDEX jobs_leaving ON jobs (created_at, id) WHERE leaves IS NOT NULL;

    -- A process of an older Baton that still runs a job keeps nothing but the snapshot.
    CREATE TRIGGER jobs_of_older_baton AFTER UPDATE OF snapshot ON jobs
      WHEN NEW.updated_at = OLD.updated_at AND NEW.snapshot IS NOT NULL
    BEGIN
      UPDATE jobs SET
        status = NEW.snapshot ->> 'status',
        updated_at = NEW.snapshot ->> 'updatedAt',
        finished_at = NEW.snapshot ->> 'finishedAt',
        epic = NEW.snapshot ->> 'epic',
        handoffs = json_array_length(NEW.snapshot, '$.handoffs')
      WHERE id = NEW.id;
    END;

    CREATE TABLE events_3 (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      job TEXT NOT NULL REFERENCES jobs (id),
      seq INTEGER NOT NULL,
      at TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      version INTEGER NOT NULL DEFAULT 1,
      type TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
    INSERT INTO events_3 (job, seq, at, attempt, type, data)
      SELECT job, seq, at, attempt, type, data FROM events ORDER BY rowid;
    DROP TABLE events;
    ALTER TABLE events_3 RENAME TO events;
    CREATE UNIQUE INDEX events_of_job ON events (job, seq);
    `);
  },
  `
  ALTER TABLE jobs ADD COLUMN hears INTEGER NOT NULL DEFAULT 1;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    moment TEXT NOT NULL,
    at TEXT NOT NULL,
    session TEXT
  ) STRICT;
  CREATE INDEX messages_of_job ON messages (job, id);
  `,
  `
  CREATE TABLE queue (
    job TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    priority INTEGER NOT NULL,
    place INTEGER NOT NULL,
    after TEXT,
    queued_at TEXT NOT NULL,
    held TEXT,
    held_until TEXT
  ) STRICT;
  `,
  (database) => {
    database.exec(`
    CREATE TABLE spend (
      quarter TEXT NOT NULL,
      agent TEXT NOT NULL,
      model TEXT NOT NULL,
      cost_usd REAL NOT NULL,
      simulated_usd REAL NOT NULL,
      estimated_usd REAL NOT NULL,
      unknown INTEGER NOT NULL,
      responses INTEGER NOT NULL,
      input INTEGER NOT NULL,
      output INTEGER NOT NULL,
      cache_read INTEGER NOT NULL,
      cache_write INTEGER NOT NULL,
      PRIMARY KEY (quarter, agent, model)
    ) STRICT, WITHOUT ROWID;
    `);
    addSpendOfAll(database);
  },
  `
  ALTER TABLE queue ADD COLUMN serial TEXT;

  CREATE TABLE schedules (
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    next_due TEXT,
    paused_at TEXT,
    PRIMARY KEY (agent, name)
  ) STRICT;
  CREATE TABLE fires (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    schedule TEXT NOT NULL,
    first_due TEXT NOT NULL,
    due TEXT NOT NULL,
    count INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    job TEXT,
    at TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX fires_of_schedule ON fires (agent, schedule, due);
  `,
  `
  ALTER TABLE jobs ADD COLUMN parent TEXT;
  CREATE INDEX jobs_by_parent ON jobs (parent) WHERE parent IS NOT NULL;
  `,
  (database) => {
    foldAgain(database);
    addSums(database);
  },
  `
  CREATE TABLE asks (
    id TEXT NOT NULL,
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    until TEXT,
    state TEXT NOT NULL,
    answer TEXT,
    answered_at TEXT,
    PRIMARY KEY (id, job)
  ) STRICT;
  CREATE INDEX asks_of_job ON asks (job) WHERE state != 'closed';
  `,
  "ALTER TABLE schedules ADD COLUMN paused_until TEXT",
  `
  CREATE TABLE denials (
    day TEXT NOT NULL,
    agent TEXT NOT NULL,
    rule TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, agent, rule)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE inbox_done (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    job TEXT REFERENCES jobs (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE written_files (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (job, path)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO written_files
    SELECT job, coalesce(data ->> 'path', data ->> 'summary') FROM events
    WHERE type = 'tool:start' AND json_valid(data) AND data ->> 'does' = 'write';
  CREATE TRIGGER file_is_written AFTER INSERT ON events
    WHEN NEW.type = 'tool:start' AND NEW.data ->> 'does' = 'write'
  BEGIN
    INSERT OR IGNORE INTO written_files VALUES (NEW.job, coalesce(NEW.data ->> 'path', NEW.data ->> 'summary'));
  END;
  `,
  `
  CREATE TABLE work_items (
    source TEXT NOT NULL,
    item TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    state TEXT NOT NULL,
    holder TEXT NOT NULL,
    claim TEXT,
    job TEXT,
    agent TEXT,
    owner TEXT,
    lease_until TEXT,
    attempts INTEGER NOT NULL,
    ending TEXT,
    seen TEXT,
    ignored_at TEXT,
    mark TEXT,
    marked TEXT,
    PRIMARY KEY (source, item)
  ) STRICT;
  CREATE INDEX work_items_of_job ON work_items (job) WHERE job IS NOT NULL;
  `,
  `
  CREATE TABLE work_sources (
    name TEXT NOT NULL PRIMARY KEY,
    polled_at TEXT,
    next_at TEXT,
    budget TEXT,
    problem TEXT,
    problem_since TEXT,
    shown TEXT NOT NULL,
    asked INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE conversations (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    service TEXT NOT NULL,
    agent TEXT NOT NULL,
    job TEXT REFERENCES jobs (id) ON DELETE SET NULL,
    session TEXT,
    told_seq INTEGER NOT NULL,
    last_at TEXT NOT NULL,
    ended_at TEXT,
    live TEXT,
    status TEXT
  ) STRICT;
  CREATE INDEX conversations_of_job ON conversations (job) WHERE job IS NOT NULL;
  CREATE TABLE chat_events (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    conversation TEXT NOT NULL,
    event TEXT,
    done_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chat_events_open ON chat_events (at) WHERE done_at IS NULL;
  CREATE INDEX chat_events_done ON chat_events (done_at) WHERE done_at IS NOT NULL;
  CREATE TABLE chat_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    job TEXT,
    source TEXT NOT NULL UNIQUE,
    nonce TEXT NOT NULL UNIQUE,
    said TEXT NOT NULL,
    is_live INTEGER NOT NULL,
    at TEXT NOT NULL,
    ref TEXT,
    sent_at TEXT
  ) STRICT;
  CREATE INDEX chat_outbox_open ON chat_outbox (conversation, id) WHERE sent_at IS NULL;
  `,
  `
  CREATE TABLE long_texts (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (job, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  UPDATE jobs SET snapshot = json_set(snapshot, '$.error', NULL, '$.pauseCode', NULL)
  WHERE status = 'cancelled' AND json_valid(snapshot) AND json_extract(snapshot, '$.error') IS NOT NULL;
  `,
];

export const latestSchema = steps.length;

export function schemaOf(database: Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

/** Takes the write lock even when there is nothing to do, which shows here and now whether the store can be written. */
export function migrate(database: Database): void {
  // A table that is replaced is dropped first, and others refer to it. SQLite hears of this only outside of a transaction.
  database.pragma("foreign_keys = off");
  try {
    database
      .transaction(() => {
        for (const step of steps.slice(schemaOf(database))) {
          if (typeof step === "string") database.exec(step);
          else step(database);
        }
        database.pragma(`user_version = ${latestSchema}`);
      })
      .immediate();
  } finally {
    database.pragma("foreign_keys = on");
  }
}

/** What all jobs on record have cost so far. */
function addSpendOfAll(database: Database): void {
  const eventsOf = database.prepare<[string, string], EventRow>(
    `SELECT seq, at, job, attempt, version, type, data FROM events
     WHERE job = ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  );
  const add = database.prepare(`
    INSERT INTO spend VALUES (:quarter, :agent, :model, :costUsd, :simulatedUsd, :estimatedUsd, :unknown,
      :responses, :input, :output, :cacheRead, :cacheWrite)
    ON CONFLICT DO UPDATE SET
      cost_usd = cost_usd + excluded.cost_usd,
      simulated_usd = simulated_usd + excluded.simulated_usd,
      estimated_usd = estimated_usd + excluded.estimated_usd,
      unknown = unknown + excluded.unknown,
      responses = responses + excluded.responses,
      input = input + excluded.input,
      output = output + excluded.output,
      cache_read = cache_read + excluded.cache_read,
      cache_write = cache_write + excluded.cache_write
  `);
  for (const id of database.prepare<[], string>("SELECT id FROM jobs").pluck().all()) {
    const spent = spendOfJob(id, eventsOf.iterate(id, JSON.stringify(SPENDING_TYPES)));
    for (const spend of together(spent)) add.run(spend);
  }
}

/** Up to the first event that cannot be read. */
function spendOfJob(id: string, rows: Iterable<EventRow>): Spend[] {
  let job = emptyJob(id);
  const spent: Spend[] = [];
  try {
    for (const row of rows) {
      const event = eventOf(row);
      const after = apply(job, event);
      spent.push(...spendOf(job, after, event));
      job = after;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return spent;
}

type EventRow = Pick<JournalEvent, "seq" | "at" | "job" | "attempt" | "type"> & {
  version?: number;
  data: string;
};

function eventOf({ data, version = 1, ...row }: EventRow): JournalEvent {
  return { ...row, ...currentEvent(Object.assign({ type: row.type }, JSON.parse(data)), version) };
}

/** Gives each job its snapshot that has none, or one that cannot be read. */
function foldAgain(database: Database): void {
  const without = database
    .prepare<[], string>("SELECT id FROM jobs WHERE snapshot IS NULL OR NOT json_valid(snapshot)")
    .pluck()
    .all();
  const eventsOf = database.prepare<[string], EventRow>("SELECT * FROM events WHERE job = ? ORDER BY seq");
  const keep = database.prepare("UPDATE jobs SET snapshot = ? WHERE id = ?");
  for (const id of without) {
    const events = eventsOf.all(id).map(eventOf);
    keep.run(JSON.stringify(events.reduce(apply, emptyJob(id))), id);
  }
}
