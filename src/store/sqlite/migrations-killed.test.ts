/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { restoreStore } from "../../../test/earlier-store.ts";
import { parts } from "../../../test/harness.ts";
import { countJobs } from "../job-list.ts";
import { openStore } from "../store.ts";

/** Brings a store up to date in a process that kills itself before this one of its changes. False where there are not as many. */
function isKilledAt(path: string, moment: number): boolean {
  const script = `
    import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
    import { openStore } from ${JSON.stringify(parts)};
    const { exec, pragma } = Database.prototype;
    let changes = 0;
    const change = (work) => {
      if (changes++ === ${moment}) process.kill(process.pid, "SIGKILL");
      return work();
    };
    Database.prototype.exec = function (sql) {
      const statements = sql.split(/;\\s*\\n(?=\\s*(?:CREATE|INSERT|DROP|ALTER|UPDATE jobs SET snapshot|--|$))/);
      for (const each of statements) if (each.trim()) change(() => exec.call(this, each));
      return this;
    };
    Database.prototype.pragma = function (text, options) {
      return /^user_version =/.test(text) ? change(() => pragma.call(this, text, options)) : pragma.call(this, text, options);
    };
    const store = await openStore(${JSON.stringify(path)});
    await store.close();`;
  const { stderr, status, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  if (signal !== "SIGKILL" && status !== 0) throw new Error(stderr);
  return signal === "SIGKILL";
}

function contents(path: string) {
  const database = new Database(path);
  const all = ["sqlite_schema", "jobs", "events", "requests"].map((table) =>
    database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all(),
  );
  const schema = database.pragma("user_version", { simple: true });
  database.close();
  return { schema, all };
}

it("leaves a store as it was when it is killed while it brings that up to date, at one change after another", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "baton.db");
  restoreStore(path);
  const before = contents(path);
  expect(before.schema).toBe(2);
  let moment = 0;
  while (isKilledAt(path, moment)) {
    expect(contents(path)).toEqual(before);
    // All are in one transaction; each is a process of its own, and there are more of them with every version.
    moment += 7;
  }
  expect(moment).toBeGreaterThan(30);
  expect(contents(path).schema).toBeGreaterThan(2);
  await using store = await openStore(path);
  expect(await countJobs(store)).toMatchObject({ completed: 1, paused: 1 });
});
