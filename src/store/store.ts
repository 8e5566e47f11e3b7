import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery, Kysely } from "kysely";
import { makeOwnFolder } from "../files/own-folder.ts";
import { StoreError, storeError } from "./errors.ts";
import { latestSchema, migrate, schemaOf } from "./migrations.ts";
import { connect, type Database, kyselyOn } from "./sqlite.ts";
import type { Tables } from "./tables.ts";

/**
 * Where jobs are kept. Many processes may have it open at once. A transaction on it begins with a write, so that
 * it waits its turn before it reads.
 */
export interface Store extends AsyncDisposable {
  /** What messages and hooks name it by. */
  readonly path: string;
  /** The folder for what belongs to the store and is not in it, such as locks. */
  readonly home: string;
  readonly db: Kysely<Tables>;
  /** Inserts by their number of rows, in the words of its database. */
  readonly inserts: Map<number, CompiledQuery>;
  close(): Promise<void>;
}

/** How long to wait for another process that writes. Nothing else happens in this process meanwhile. */
const defaultPatienceMs = 5_000;

/** Opens the store to run jobs in it, and makes it where there is none. */
export async function openStore(path: string, patienceMs = defaultPatienceMs): Promise<Store> {
  return opening(path, async () => {
    makeOwnFolder(dirname(path));
    // Where that is not allowed, SQLite would only say that it cannot open the file.
    if (!existsSync(path)) closeSync(openSync(path, "a"));
    const database = connect(path, "write", patienceMs);
    return guarded(database, async () => {
      if (schemaOf(database) > latestSchema) throw new StoreError("newer", path);
      await writeAhead(database, path, patienceMs);
      database.pragma("synchronous = full");
      migrate(database);
      return storeOn(database, path);
    });
  });
}

/** Opens what can be read: also a store that is read-only, in a read-only folder, or of a newer Baton. */
export async function openStoreToRead(path: string, patienceMs = defaultPatienceMs): Promise<Store> {
  return opening(path, async () => {
    if (!existsSync(path)) throw new StoreError("missing", path);
    try {
      return await reading(connect(path, "read", patienceMs), path);
    } catch (error) {
      if (!isProblem(error, path, "unusable", "read-only")) throw error;
      return readingCopy(path, patienceMs);
    }
  });
}

async function reading(database: Database, path: string, onClose?: () => void): Promise<Store> {
  return guarded(database, async () => {
    database.pragma("query_only = on");
    if (schemaOf(database) === 0) throw new StoreError("missing", path);
    return storeOn(database, path, onClose);
  });
}

/** SQLite reads a write-ahead log only through an index file beside it, which a read-only folder does not allow. */
async function readingCopy(path: string, patienceMs: number): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "baton-read-"));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "baton.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    return await reading(connect(copy, "write", patienceMs), path, discard);
  } catch (error) {
    discard();
    throw isProblem(error, path, "read-only") ? new StoreError("unusable", path, error) : error;
  }
}

function storeOn(database: Database, path: string, onClose?: () => void): Store {
  const db = kyselyOn(database, path);
  const close = async () => {
    await db.destroy();
    database.close();
    onClose?.();
  };
  return { path, home: dirname(path), db, inserts: new Map(), close, [Symbol.asyncDispose]: close };
}

/** Unlike a statement, the switch to the write-ahead log does not wait for another process that is switching too. */
async function writeAhead(database: Database, path: string, patienceMs: number) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      database.pragma("journal_mode = wal");
      return;
    } catch (error) {
      if (!isProblem(error, path, "locked") || performance.now() > deadline) throw error;
      await sleep(5);
    }
  }
}

async function opening<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, path);
  }
}

async function guarded<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    database.close();
    throw error;
  }
}

function isProblem(error: unknown, path: string, ...codes: StoreError["code"][]): boolean {
  const typed = storeError(error, path);
  return typed instanceof StoreError && codes.includes(typed.code);
}
