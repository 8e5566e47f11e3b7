import Database from "better-sqlite3";
import { Kysely, type SqliteDatabase, type SqliteStatement } from "kysely";
import type { Tables } from "../tables.ts";
import { storeError } from "./errors.ts";
import { TurnTakingDialect } from "./turns.ts";

export type { Database } from "better-sqlite3";

export function connect(path: string, access: "write" | "read", patienceMs: number): Database.Database {
  const database = new Database(path, {
    readonly: access === "read",
    fileMustExist: access === "read",
    timeout: patienceMs,
  });
  database.pragma("foreign_keys = on");
  // A store that came from elsewhere may hold views and triggers of its own.
  database.pragma("trusted_schema = off");
  return database;
}

export function kyselyOn(database: Database.Database, path: string): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new TurnTakingDialect(path, { database: driverOf(database, path) }) });
}

/** What Kysely sees: statements are prepared once, and errors come out typed. */
function driverOf(database: Database.Database, path: string): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  const typed = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storeError(error, path);
    }
  };
  const prepare = (sql: string): SqliteStatement => {
    // One that reads first and writes then would be refused at once where another process wrote in between: it waits for its turn instead.
    const text = sql === "begin" ? "begin immediate" : sql;
    const statement = typed(() => database.prepare<unknown[]>(text));
    return {
      reader: statement.reader,
      all: (parameters) => typed(() => statement.all(...parameters)),
      run: (parameters) => {
        // SQLite itself rolls back when the disk is full; a second rollback would hide why.
        if (sql === "rollback" && !database.inTransaction) return { changes: 0, lastInsertRowid: 0 };
        return typed(() => statement.run(...parameters));
      },
      iterate: (parameters) => statement.iterate(...parameters),
    };
  };
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = prepared.get(sql) ?? prepare(sql);
      prepared.set(sql, statement);
      return statement;
    },
  };
}
