import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { narrowFile, narrowFolder } from "../../files/own-folder.ts";

/** A database in the user's state folder, for this user alone. */
export interface StateFile extends Disposable {
  readonly db: Database.Database;
}

const PATIENCE_MS = 5_000;

/** Makes it where there is none. Step n takes it from schema n to n + 1, and never changes once it is released. */
export function openStateFile(path: string, steps: readonly string[]): StateFile {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  narrowFolder(folder);
  const db = new Database(path, { timeout: PATIENCE_MS });
  try {
    narrowFile(path);
    db.pragma("journal_mode = wal");
    db.pragma("synchronous = full");
    db.pragma("foreign_keys = on");
    migrate(db, path, steps);
  } catch (error) {
    db.close();
    throw error;
  }
  return { db, [Symbol.dispose]: () => void db.close() };
}

function migrate(db: Database.Database, path: string, steps: readonly string[]): void {
  const schema = () => Number(db.pragma("user_version", { simple: true }));
  if (schema() > steps.length) {
    throw new Error(`${path} was written by a newer Baton. Use that one.`);
  }
  if (schema() === steps.length) return;
  db.transaction(() => {
    for (const step of steps.slice(schema())) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
  }).immediate();
}
