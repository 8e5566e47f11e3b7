import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readEvents } from "./events.ts";
import { listJobs } from "./job-list.ts";
import { createJob, findJob } from "./jobs.ts";
import { createQueuedJob, leaveQueue, queueEntries } from "./queue.ts";
import { openStore, openStoreToRead } from "./store.ts";

const id = "job-2026-01-01-abc123";
const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-store-"));
  path = join(folder, ".baton", "baton.db");
});

afterEach(() => {
  chmodSync(folder, 0o755);
  if (existsSync(join(folder, ".baton"))) chmodSync(join(folder, ".baton"), 0o755);
  rmSync(folder, { recursive: true });
});

async function withOneJob() {
  await using store = await openStore(path);
  await createJob(store, id, created, new Date());
}

/** File permissions do not hold for root, so root becomes somebody else for the while. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("opening a store", () => {
  it("makes its folder and keeps it out of git", async () => {
    await using _store = await openStore(path);
    expect(readFileSync(join(folder, ".baton", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("leaves a folder of the user's own, and a .gitignore that is there, as they are", async () => {
    await using _store = await openStore(join(folder, "jobs.db"));
    expect(existsSync(join(folder, ".gitignore"))).toBe(false);
    await withOneJob();
    writeFileSync(join(folder, ".baton", ".gitignore"), "mine\n");
    await using _again = await openStore(path);
    expect(readFileSync(join(folder, ".baton", ".gitignore"), "utf8")).toBe("mine\n");
  });

  it("finds what was there before", async () => {
    await withOneJob();
    await using store = await openStore(path);
    expect(await findJob(store, id)).toMatchObject({ id, prompt: "Do it" });
  });

  it("refuses a store of a newer Baton, which can still be read", async () => {
    await withOneJob();
    const database = new Database(path);
    database.pragma("user_version = 99");
    database.close();
    await expect(openStore(path)).rejects.toMatchObject({ name: "StoreError", code: "newer", path });
    await using store = await openStoreToRead(path);
    expect(await listJobs(store, 10)).toHaveLength(1);
  });

  it("says that a folder in the file's place cannot be used", async () => {
    await expect(openStore(folder)).rejects.toMatchObject({ code: "unusable", path: folder });
    await expect(openStoreToRead(folder)).rejects.toMatchObject({ code: "unusable", path: folder });
  });
});

describe("reading a store", () => {
  it("says that there is none yet, and makes none", async () => {
    await expect(openStoreToRead(path)).rejects.toMatchObject({ code: "missing", path });
    expect(existsSync(join(folder, ".baton"))).toBe(false);
  });

  it("writes nothing", async () => {
    await withOneJob();
    await using store = await openStoreToRead(path);
    const write = createJob(store, "job-2026-01-01-zzz999", created, new Date());
    await expect(write).rejects.toMatchObject({ name: "StoreError", code: "read-only", path });
  });
});

describe("a read-only store", () => {
  it.each([
    ["file", { file: 0o444, folder: 0o777 }],
    ["folder", { file: 0o666, folder: 0o555 }],
  ])("is refused for running jobs and still shows them: %s", async (_what, modes) => {
    chmodSync(folder, 0o755);
    await withOneJob();
    chmodSync(path, modes.file);
    chmodSync(join(folder, ".baton"), modes.folder);
    await asOrdinaryUser(async () => {
      await expect(openStore(path)).rejects.toMatchObject({ name: "StoreError", code: "read-only", path });
      await using store = await openStoreToRead(path);
      expect(await findJob(store, id)).toMatchObject({ prompt: "Do it" });
      await expect(createJob(store, "job-2026-01-01-zzz999", created, new Date())).rejects.toMatchObject({
        code: "read-only",
      });
    });
  });

  it("is what a read-only folder without one is called, too", async () => {
    chmodSync(folder, 0o555);
    await asOrdinaryUser(async () => {
      await expect(openStore(join(folder, "baton.db"))).rejects.toMatchObject({ code: "read-only" });
      await expect(openStore(path)).rejects.toMatchObject({ code: "read-only" });
    });
  });

  it("shows what a killed process left in the write-ahead log", async () => {
    await withOneJob();
    await using writer = await openStore(path);
    await createJob(writer, "job-2026-01-02-later1", created, new Date());
    const copy = mkdtempSync(join(tmpdir(), "baton-killed-"));
    try {
      for (const ending of ["", "-wal"]) {
        writeFileSync(join(copy, `baton.db${ending}`), readFileSync(`${path}${ending}`));
      }
      chmodSync(copy, 0o555);
      await asOrdinaryUser(async () => {
        await using store = await openStoreToRead(join(copy, "baton.db"));
        expect(await listJobs(store, 10)).toHaveLength(2);
      });
    } finally {
      chmodSync(copy, 0o755);
      rmSync(copy, { recursive: true });
    }
  });
});

describe("a damaged store", () => {
  it("is told apart when the file is something else", async () => {
    await withOneJob();
    writeFileSync(path, "This is not a database, however long one looks at it. ".repeat(100));
    await expect(openStore(path)).rejects.toMatchObject({ name: "StoreError", code: "damaged", path });
    await expect(openStoreToRead(path)).rejects.toMatchObject({ code: "damaged", path });
  });

  it("still lists its jobs when only their events are hit", async () => {
    await withOneJob();
    const database = new Database(path);
    const pageSize = Number(database.pragma("page_size", { simple: true }));
    const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get();
    database.pragma("journal_mode = delete");
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (Number(page) - 1) * pageSize, Number(page) * pageSize);
    writeFileSync(path, bytes);

    await using store = await openStoreToRead(path);
    expect(await listJobs(store, 10)).toMatchObject([{ id, status: "created" }]);
    await expect(readEvents(store, id, 0)).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(".recover"),
    });
  });
});

it("is written by all who have it open in one process, in turn", async () => {
  await using one = await openStore(path);
  await using other = await openStore(path);
  const ids = Array.from({ length: 6 }, (_, at) => `job-2026-01-01-abc12${at}`);
  const openAgain = async () => {
    for (const _ of ids) await (await openStore(path)).close();
  };
  await Promise.all([
    openAgain(),
    ...ids.flatMap((each, at) => [
      createQueuedJob(at % 2 === 0 ? one : other, each, created, { priority: 0 }, new Date()),
      leaveQueue(at % 2 === 0 ? other : one, "another job"),
    ]),
  ]);
  expect(await queueEntries(one)).toHaveLength(ids.length);
});
