import { dirname, join } from "node:path";
import { readBoundedText } from "../../files/bounded-file.ts";
import { takeLock } from "../../files/holder-lock.ts";
import { stateFolder } from "../../files/state-folder.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { handoffFrom } from "./handoff-on-disk.ts";
import { SESSION_LIMITS } from "./limits.ts";
import type { OwnSession } from "./session.ts";

// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { readdirSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs");

/**
 * The sessions of one user, a small file each. Hooks run on every tool call and must be quick, so there is no database,
 * and files are read and written at once; a write replaces the file in one step, and a lock keeps two writers of one
 * session apart.
 */
export class Registry {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async find(id: string): Promise<OwnSession | undefined> {
    return isId(id) ? read(this.#path(id)) : undefined;
  }

  /** Newest first. */
  async list(): Promise<OwnSession[]> {
    return namesIn(this.folder)
      .flatMap((name) => read(join(this.folder, name)) ?? [])
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  }

  /** Changes a session, or makes it: `change` gets what is on record, and returns what shall be; undefined leaves it. */
  async update(
    id: string,
    change: (session: OwnSession | undefined) => OwnSession | undefined | Promise<OwnSession | undefined>,
  ): Promise<OwnSession | undefined> {
    if (!isId(id)) throw new Error(`"${id}" is not the id of a session.`);
    const path = this.#path(id);
    const release = await takeLock(`${path}.lock`);
    try {
      const before = read(path);
      const after = await change(before);
      if (after === undefined) return before;
      const next = `${path}.${process.pid}.new`;
      writeFileSync(next, JSON.stringify(after), { mode: 0o600 });
      renameSync(next, path);
      return after;
    } finally {
      release();
    }
  }

  async forget(id: string): Promise<void> {
    if (!isId(id)) return;
    for (const kind of BESIDE) rmSync(this.beside(kind, id), { force: true });
    rmSync(this.#path(id), { force: true });
  }

  /** The file of something else that is kept of a session. */
  beside(kind: Beside, id: string): string {
    if (!isId(id)) throw new Error(`"${id}" is not the id of a session.`);
    return join(dirname(this.folder), kind, id);
  }

  #path(id: string): string {
    return join(this.folder, `${id}.json`);
  }
}

/** Facts for the next session; locks of who stores a handoff, and of who picks it up; output of a job that does. */
const BESIDE = ["facts", "locks", "cycles", "continued"] as const;
type Beside = (typeof BESIDE)[number];

export function userRegistry(env: NodeJS.ProcessEnv = process.env): Registry {
  return new Registry(join(stateFolder(env), "sessions"));
}

/** Ids come from outside and become file names. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .slice(0, SESSION_LIMITS.records);
  } catch {
    return [];
  }
}

function read(path: string): OwnSession | undefined {
  try {
    const session = fromJson(readBoundedText(path, SESSION_LIMITS.recordBytes));
    return isRecord(session) ? { ...session, handoff: handoffFrom(session.handoff) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever reads the registry sorts by these. The rest is as Baton wrote it. */
function isRecord(value: unknown): value is OwnSession {
  if (!isFields(value) || !Array.isArray(value.mail)) return false;
  return [value.id, value.startedAt, value.seenAt].every((text) => typeof text === "string");
}
