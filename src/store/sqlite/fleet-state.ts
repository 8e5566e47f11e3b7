import { existsSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "../../files/state-folder.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

/**
 * What the fleets of one user share, whatever their projects: who runs, which slots are taken, what is forbidden. Every
 * project keeps its jobs and its queue in its own store.
 */
export type FleetState = StateFile;

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
  `
  CREATE TABLE notices_told (
    alike TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE notices_held (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    at INTEGER NOT NULL,
    due INTEGER NOT NULL,
    taken INTEGER,
    notice TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notices_due ON notices_held (project, agent, due);
  `,
  `
  CREATE TABLE connections (
    bot TEXT PRIMARY KEY,
    service TEXT NOT NULL,
    projects TEXT NOT NULL,
    owner TEXT NOT NULL,
    connected_at TEXT,
    problem TEXT
  ) STRICT;
  `,
];

function fleetStatePath(): string {
  return join(stateFolder(), "fleet.db");
}

/** Makes it where there is none. */
export function openFleetState(): FleetState {
  return openStateFile(fleetStatePath(), STEPS);
}

/** For those who only look: undefined where no fleet has ever run. */
export function lookIntoFleetState(): FleetState | undefined {
  return existsSync(fleetStatePath()) ? openFleetState() : undefined;
}
