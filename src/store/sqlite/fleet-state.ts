import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { narrowFile, narrowFolder } from "../../files/own-folder.ts";
import { stateFolder } from "../../files/state-folder.ts";

/**
 * What the fleets of one user share, whatever their projects: who runs, which slots are taken, what is forbidden. Every
 * project keeps its jobs and its queue in its own store.
 */
export interface FleetState extends Disposable {
  readonly db: Database.Database;
}

/** Step n takes the state from schema n to n + 1. A released step never changes. */
const STEPS = [
  `
  CREATE TABLE fleets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    projects TEXT NOT NULL,
    asked TEXT
  ) STRICT;
  CREATE TABLE slots (
    project TEXT NOT NULL,
    job TEXT NOT NULL,
    agent TEXT NOT NULL,
    fleet INTEGER NOT NULL REFERENCES fleets (id) ON DELETE CASCADE,
    since TEXT NOT NULL,
    PRIMARY KEY (project, job)
  ) STRICT;
  CREATE TABLE served (
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (project, agent)
  ) STRICT;
  `,
  `
  ALTER TABLE fleets ADD COLUMN slots INTEGER;

  CREATE TABLE pauses (
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (project, agent)
  ) STRICT;
  `,
  `
  CREATE TABLE accounts (
    account TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    until INTEGER NOT NULL,
    message TEXT NOT NULL,
    trying TEXT,
    trying_job TEXT,
    answered_at INTEGER
  ) STRICT;
  `,
  `
  ALTER TABLE fleets ADD COLUMN reads_asked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE fleets ADD COLUMN reads_done INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE configurations (
    project TEXT PRIMARY KEY,
    fleet INTEGER NOT NULL REFERENCES fleets (id) ON DELETE CASCADE,
    changed_at TEXT,
    problem TEXT,
    since TEXT
  ) STRICT;
  `,
  `
  CREATE TABLE said (
    what TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT;
  `,
];

const PATIENCE_MS = 5_000;

function fleetStatePath(): string {
  return join(stateFolder(), "fleet.db");
}

/** Makes it where there is none. */
export function openFleetState(): FleetState {
  const path = fleetStatePath();
  mkdirSync(stateFolder(), { recursive: true, mode: 0o700 });
  narrowFolder(stateFolder());
  const db = new Database(path, { timeout: PATIENCE_MS });
  try {
    narrowFile(path);
    db.pragma("journal_mode = wal");
    db.pragma("synchronous = full");
    db.pragma("foreign_keys = on");
    migrate(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  return { db, [Symbol.dispose]: () => void db.close() };
}

/** For those who only look: undefined where no fleet has ever run. */
export function lookIntoFleetState(): FleetState | undefined {
  return existsSync(fleetStatePath()) ? openFleetState() : undefined;
}

function migrate(db: Database.Database, path: string): void {
  const schema = () => Number(db.pragma("user_version", { simple: true }));
  if (schema() > STEPS.length) {
    throw new Error(`${path} was written by a newer Baton. Use that one.`);
  }
  if (schema() === STEPS.length) return;
  db.transaction(() => {
    for (const step of STEPS.slice(schema())) db.exec(step);
    db.pragma(`user_version = ${STEPS.length}`);
  }).immediate();
}
