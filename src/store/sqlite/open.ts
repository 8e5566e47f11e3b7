import { copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeOwnFolder, narrowFile } from "../../files/own-folder.ts";
import { scratchFolder } from "../../files/scratch.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../store.ts";
import { connect, type Database, kyselyOn } from "./connection.ts";
import { storeError } from "./errors.ts";
import { makeStore } from "./identity.ts";
import { latestSchema, migrate, schemaOf } from "./migrations.ts";
import { inTurn } from "./turns.ts";

/** How long to wait for another process that writes. Nothing else happens in this process meanwhile. */
const defaultPatienceMs = 5_000;

/** Opens the store to run jobs in it, and makes it where there is none. */
export async function openStore(path: string, patienceMs = defaultPatienceMs): Promise<Store> {
  return opening(path, async () => {
    makeOwnFolder(dirname(path));
    await makeStore(path);
    for (const end of ["", "-wal", "-shm"]) narrowFile(`${path}${end}`);
    const database = connect(path, "write", patienceMs);
    return guarded(database, async () => {
      if (schemaOf(database) > latestSchema) throw new StoreError("newer", path);
      await writeAhead(database, path, patienceMs);
      database.pragma("synchronous = full");
      await inTurn(path, () => migrate(database));
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

/**
 * Opens a store that is not this machine's own. What SQLite itself does on opening, such as to play a journal back, it does
 * to a copy.
 */
export async function openCopyToRead(path: string): Promise<Store> {
  return opening(path, async () => {
    if (statSync(path).size > LARGEST_COPIED) throw new StoreError("unusable", path);
    return readingCopy(path, defaultPatienceMs);
  });
}

const LARGEST_COPIED = 1024 ** 3;

async function reading(database: Database, path: string, onClose?: () => void): Promise<Store> {
  return guarded(database, async () => {
    const schema = schemaOf(database);
    if (schema === 0) throw new StoreError("missing", path);
    if (schema < latestSchema) {
      try {
        return await broughtUpToRead(database, path, onClose);
      } catch {
        // A damaged store, or a full disk. The list of jobs can still be read as it stands.
      }
    }
    database.pragma("query_only = on");
    return storeOn(database, path, onClose);
  });
}

/** What stands in a store of an older Baton that cannot be brought up to date itself. */
async function broughtUpToRead(older: Database, path: string, onClose?: () => void): Promise<Store> {
  const folder = scratchFolder("read");
  const discard = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "baton.db");
    older.prepare("VACUUM INTO ?").run(copy);
    const database = connect(copy, "write", defaultPatienceMs);
    return await guarded(database, async () => {
      migrate(database);
      database.pragma("query_only = on");
      return storeOn(database, path, () => {
        discard();
        older.close();
        onClose?.();
      });
    });
  } catch (error) {
    discard();
    throw error;
  }
}

/** SQLite reads a write-ahead log only through an index file beside it, which a read-only folder does not allow. */
async function readingCopy(path: string, patienceMs: number): Promise<Store> {
  const folder = scratchFolder("read");
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
