import type { Database } from "better-sqlite3";

/** Step n takes a store from schema n to n + 1. A released step never changes. */
const steps = [
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
];

export const latestSchema = steps.length;

export function schemaOf(database: Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

/** Takes the write lock even when there is nothing to do, which shows here and now whether the store can be written. */
export function migrate(database: Database): void {
  database
    .transaction(() => {
      for (const step of steps.slice(schemaOf(database))) database.exec(step);
      database.pragma(`user_version = ${latestSchema}`);
    })
    .immediate();
}
