import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EARLIER, restoreStore } from "../../../test/earlier-store.ts";
import { readEvents } from "../events.ts";
import { countJobs, listJobs } from "../job-list.ts";
import { rowOfJob } from "../job-row.ts";
import { createJob, findJob, jobOf } from "../jobs.ts";
import { openStore, openStoreToRead, type Store } from "../store.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-migrations-"));
  path = join(folder, "baton.db");
  restoreStore(path);
});

afterEach(() => rmSync(folder, { recursive: true }));

function inSqlite<T>(work: (database: Database.Database) => T): T {
  const database = new Database(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const schema = () => inSqlite((database) => database.pragma("user_version", { simple: true }));
const contents = () =>
  inSqlite((database) =>
    ["sqlite_schema", "jobs", "events", "requests"].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all(),
    ),
  );

/** Of every job the columns that are taken from its snapshot, and the same from the fold of its events. */
async function columns(store: Store) {
  const rows = await store.db.selectFrom("jobs").selectAll().orderBy("id").execute();
  const folded = await Promise.all(rows.map(({ id }) => jobOf(store, { id, snapshot: null })));
  const kept = rows.map(({ number: _, id, agent, created_at, attempt, owner, hears, ...columns }) => columns);
  return { kept, folded: folded.map(rowOfJob) };
}

describe("a store of an earlier Baton", () => {
  it("gets the columns by which jobs are listed, from their snapshots", async () => {
    await using store = await openStore(path);
    const { kept, folded } = await columns(store);
    // Where the time went, that Baton did not keep.
    const listed = ({
      snapshot: _,
      timed,
      setup_ms,
      model_ms,
      tools_ms,
      ...columns
    }: (typeof folded)[number]) => ({
      ...columns,
      ...{ handoffs_ms: 0, stopped_ms: 0 },
    });
    expect(kept.map(listed)).toEqual(folded.map(listed));
    expect(kept.map(({ timed }) => timed)).toEqual([0, 0, 0, 0, 0]);
    expect(await countJobs(store)).toEqual({
      completed: 1,
      paused: 1,
      failed: 1,
      cancelled: 1,
      running: 1,
    });
    expect(await listJobs(store, 10, { handedOff: true })).toMatchObject([{ id: EARLIER.completed }]);
    expect(await listJobs(store, 10, { epic: "files" })).toMatchObject([{ id: EARLIER.completed }]);
  });

  it.each(["NULL", "'no JSON'"])("gets them from the events of a job whose snapshot is %s", async (gone) => {
    inSqlite((database) => database.exec(`UPDATE jobs SET snapshot = ${gone}`));
    await using store = await openStore(path);
    const { kept, folded } = await columns(store);
    expect(kept).toEqual(folded);
    expect(await findJob(store, EARLIER.completed)).toMatchObject({ status: "completed", epic: "files" });
  });

  it("keeps its events, numbered over all jobs in the order in which they were written", async () => {
    const before = inSqlite((database) =>
      database.prepare("SELECT job, seq, at, attempt, type, data FROM events ORDER BY rowid").all(),
    );
    await using store = await openStore(path);
    const after = await store.db.selectFrom("events").selectAll().orderBy("id").execute();
    expect(after).toEqual(before.map((event, index) => Object.assign({ id: index + 1, version: 1 }, event)));
  });

  it("still refuses events of a job that it does not have", async () => {
    await using store = await openStore(path);
    const event = { job: "job-x", seq: 1, at: "", attempt: 1, version: 1, type: "text", data: "{}" };
    await expect(store.db.insertInto("events").values(event).execute()).rejects.toThrow("FOREIGN KEY");
  });

  it("is kept right for lists by a process of that Baton which still runs a job", async () => {
    await using store = await openStore(path);
    const job = { ...(await findJob(store, EARLIER.cutOff)), status: "completed", epic: "late" } as const;
    const finished = { ...job, updatedAt: "2026-12-01", finishedAt: "2026-12-01" };
    await store.db
      .updateTable("jobs")
      .set({ seq: 99, snapshot: JSON.stringify(finished), leaves: null })
      .where("id", "=", job.id)
      .execute();
    const found = await listJobs(store, 10, {
      epic: "late",
      status: "completed",
      finishedBefore: new Date("2026-12-02"),
    });
    expect(found).toEqual([finished]);
  });

  it("can be read where it cannot be written, and stays as it is", async () => {
    const before = contents();
    {
      await using store = await openStoreToRead(path);
      expect(await listJobs(store, 10, { handedOff: true })).toMatchObject([{ id: EARLIER.completed }]);
      expect(await readEvents(store, EARLIER.paused, 0)).toHaveLength(22);
      const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
      const write = createJob(store, "job-2026-01-01-zzz999", created, new Date());
      await expect(write).rejects.toMatchObject({ code: "read-only", path });
    }
    expect(contents()).toEqual(before);
    expect(schema()).toBe(2);
  });

  it("still lists its jobs where their events are damaged", async () => {
    const page = inSqlite((database) => {
      database.pragma("journal_mode = delete");
      return Number(
        database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get(),
      );
    });
    const bytes = readFileSync(path);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    writeFileSync(path, bytes);
    await expect(openStore(path)).rejects.toMatchObject({ code: "damaged" });
    await using store = await openStoreToRead(path);
    expect(await listJobs(store, 10)).toHaveLength(5);
  });
});
