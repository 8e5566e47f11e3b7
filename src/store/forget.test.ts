import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { parts } from "../../test/harness.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob, JobOwnedError } from "./claims.ts";
import { forgetJob } from "./forget.ts";
import { createJob } from "./jobs.ts";
import { keepSession } from "./kept-sessions.ts";
import { sendRequest } from "./requests.ts";
import { openStore } from "./store.ts";

const [FORGOTTEN, OTHER] = ["job-2026-01-01-aaaaaa", "job-2026-01-02-bbbbbb"] as const;
let path: string;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-forget-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, "baton.db");
  await using store = await openStore(path);
  for (const id of [FORGOTTEN, OTHER]) {
    const created = { type: "job:created" as const, agent: "coder", prompt: "Go", agentConfig: {} };
    await createJob(store, id, created, new Date(0));
    await using journal = new Journal(
      store,
      await claimJob(store, id, thisProcess(), new Date()),
      () => new Date(),
    );
    await journal.record({ type: "job:completed", result: "Done." });
    await sendRequest(store, id, { kind: "cancel", payload: null, at: "" });
    const kept = { work_item: id, session: "s", job: id, folder: "/", program: "p", expires_at: "9" };
    await keepSession(store, { agent: "coder", ...kept });
  }
});

/** What a chat service told is not kept once a job has it. Sums over all jobs. What was spent stays spent. */
const OF_NO_JOB = ["chat_events", "schedules", "denials", "spend", "spend_sums", "job_sums", "work_sources"];

/** Every row of every table, by the job that it is of. */
function rowsOf(id: string): Record<string, unknown[]> {
  const database = new Database(path, { readonly: true });
  const tables = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const rows = tables
    .pluck()
    .all()
    .filter((table) => !OF_NO_JOB.includes(String(table)) && !String(table).startsWith("job_text"))
    .map((table) => {
      const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
      const key = table === "jobs" ? "id" : "job";
      expect(columns, `a table that may have something of a job: ${table}`).toContain(key);
      return [table, database.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).all(id)];
    });
  database.close();
  return Object.fromEntries(rows);
}

it("takes all of a job out of the store, and nothing of another", async () => {
  const other = rowsOf(OTHER);
  await using store = await openStore(path);
  await forgetJob(store, FORGOTTEN);
  expect(Object.values(rowsOf(FORGOTTEN)).flat()).toEqual([]);
  expect(rowsOf(OTHER)).toEqual(other);
});

it("refuses a job that a living process has, and leaves it whole", async () => {
  await using store = await openStore(path);
  await claimJob(store, FORGOTTEN, thisProcess(), new Date());
  const before = rowsOf(FORGOTTEN);
  await expect(forgetJob(store, FORGOTTEN)).rejects.toThrow(JobOwnedError);
  expect(rowsOf(FORGOTTEN)).toEqual(before);
});

/** In a process that kills itself before this one of its statements. False where there are not as many. */
function isKilledAt(moment: number): boolean {
  const script = `
    import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
    import { forgetJob, openStore } from ${JSON.stringify(parts)};
    const store = await openStore(${JSON.stringify(path)});
    const { prepare } = Database.prototype;
    let count = 0;
    Database.prototype.prepare = function (sql) {
      if (count++ === ${moment}) process.kill(process.pid, "SIGKILL");
      return prepare.call(this, sql);
    };
    await forgetJob(store, ${JSON.stringify(FORGOTTEN)});
    await store.close();`;
  const { stderr, status, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  if (signal !== "SIGKILL" && status !== 0) throw new Error(stderr);
  return signal === "SIGKILL";
}

it("forgets all or nothing, at whatever statement it is killed", () => {
  const before = rowsOf(FORGOTTEN);
  let moment = 0;
  while (isKilledAt(moment)) {
    expect(rowsOf(FORGOTTEN)).toEqual(before);
    moment++;
  }
  expect(moment).toBeGreaterThan(4);
  expect(Object.values(rowsOf(FORGOTTEN)).flat()).toEqual([]);
});
