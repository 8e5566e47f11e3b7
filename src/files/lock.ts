import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";

/** A lock that the operating system gives back when its holder dies, however it dies. */
export interface FileLock extends Disposable {
  release(): void;
}

const POLL_MS = 10;

/** Takes the lock of this file, or says at once that another holds it: a process, or somebody in this one. */
export async function tryLock(path: string): Promise<FileLock | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const database = new Sqlite(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
  const release = () => {
    if (database.open) database.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** Waits for the lock of one of these files: with several, as many can hold one at once. */
export async function lockOneOf(paths: readonly string[], signal: AbortSignal): Promise<FileLock> {
  for (;;) {
    for (const path of paths) {
      signal.throwIfAborted();
      const lock = await tryLock(path);
      if (lock) return lock;
    }
    await sleep(POLL_MS + Math.random() * POLL_MS, undefined, { signal });
  }
}

export function lock(path: string, signal: AbortSignal): Promise<FileLock> {
  return lockOneOf([path], signal);
}
