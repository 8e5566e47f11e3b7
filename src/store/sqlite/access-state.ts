import { join } from "node:path";
import { stateFolder } from "../../files/state-folder.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

/** Who may ask for what over HTTP, where it is served, and what was done by whom: of one user, in all projects. */
export type AccessState = StateFile;

const STEPS = [
  `
  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    projects TEXT,
    max_jobs INTEGER,
    max_cost_usd REAL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    used_at TEXT
  ) STRICT;
  CREATE TABLE sign_ins (
    hash TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE servers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    projects TEXT NOT NULL
  ) STRICT;
  CREATE TABLE started_jobs (
    token TEXT NOT NULL,
    project TEXT NOT NULL,
    job TEXT NOT NULL,
    request TEXT,
    at TEXT NOT NULL,
    PRIMARY KEY (project, job)
  ) STRICT;
  CREATE INDEX started_jobs_by_token ON started_jobs (token, at);
  CREATE TABLE replays (
    token TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    at TEXT NOT NULL,
    status INTEGER,
    body TEXT,
    PRIMARY KEY (token, key)
  ) STRICT;
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    target TEXT,
    project TEXT,
    origin TEXT,
    outcome TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE tokens ADD COLUMN hook TEXT;
  CREATE TABLE deliveries (
    hook TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    job TEXT NOT NULL,
    outcome TEXT,
    reason TEXT,
    at TEXT NOT NULL,
    until TEXT,
    PRIMARY KEY (hook, key)
  ) STRICT;
  `,
  `
  CREATE TABLE exports (
    project TEXT NOT NULL,
    destination TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project, destination)
  ) STRICT;
  `,
];

/** Makes it where there is none. */
export function openAccessState(): AccessState {
  return openStateFile(join(stateFolder(), "access.db"), STEPS);
}
