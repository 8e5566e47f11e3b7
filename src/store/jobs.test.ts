import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jobId } from "../job/id.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { AmbiguousJobError, JobNotFoundError } from "./errors.ts";
import { readEvents } from "./events.ts";
import { createJob, findJob, getJob, listJobs } from "./jobs.ts";
import { openStore, type Store } from "./store.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-jobs-"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const create = (id: string, at: string) =>
  createJob(
    store,
    id,
    { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} },
    new Date(at),
  );

async function withEvents(id: string, count: number) {
  await create(id, "2026-01-01T00:00:00Z");
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  journal.append({ type: "job:started", pid: 1, marker: "m" });
  for (let turn = 1; turn <= count - 2; turn++) {
    journal.append({ type: "text", session: "a", text: `turn ${turn}` });
  }
  await journal.flush();
  return journal.job;
}

describe("a job's id", () => {
  it("carries the day and cannot be misread", () => {
    expect(jobId(new Date("2026-03-04T23:59:59Z"), Uint8Array.of(0, 10, 18, 31, 32, 255))).toBe(
      "job-2026-03-04-0ajz0z",
    );
  });
});

describe("a job by its id", () => {
  it("is found by the whole of it, and by nothing less", async () => {
    await create("job-2026-01-01-bbbbbb", "2026-01-01T00:00:00Z");
    expect(await getJob(store, "job-2026-01-01-bbbbbb")).toMatchObject({ id: "job-2026-01-01-bbbbbb" });
    await expect(getJob(store, "job-2026-01-01-bbb")).rejects.toThrow(JobNotFoundError);
  });
});

describe("listing jobs", () => {
  it("shows the newest first", async () => {
    await create("job-2026-01-01-bbbbbb", "2026-01-01T00:00:00Z");
    await create("job-2026-01-03-aaaaaa", "2026-01-03T00:00:00Z");
    await create("job-2026-01-02-cccccc", "2026-01-02T00:00:00Z");
    const ids = (await listJobs(store, 2)).map((job) => job.id);
    expect(ids).toEqual(["job-2026-01-03-aaaaaa", "job-2026-01-02-cccccc"]);
  });

  it("does not read the events of a long job", async () => {
    const job = await withEvents("job-2026-01-01-bbbbbb", 20_000);
    expect(job.seq).toBe(20_000);
    await sql`drop table events`.execute(store.db);
    expect(await listJobs(store, 10)).toEqual([job]);
  });

  it("folds the events again where the snapshot is gone", async () => {
    const job = await withEvents("job-2026-01-01-bbbbbb", 1_200);
    await store.db.updateTable("jobs").set({ snapshot: null }).execute();
    expect(await listJobs(store, 10)).toEqual([job]);
  });
});

describe("finding a job", () => {
  beforeEach(async () => {
    await create("job-2026-01-01-abc111", "2026-01-01T00:00:00Z");
    await create("job-2026-01-01-abd222", "2026-01-01T00:00:00Z");
    await create("job-2026-02-01-xyz333", "2026-02-01T00:00:00Z");
  });

  it.each(["job-2026-02-01-xyz333", "job-2026-02", "xyz333", "x"])("works by %s", async (given) => {
    expect((await findJob(store, given)).id).toBe("job-2026-02-01-xyz333");
  });

  it("lists the jobs that a short prefix can mean", async () => {
    const error = await findJob(store, "ab").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AmbiguousJobError);
    expect(error).toMatchObject({ matches: ["job-2026-01-01-abc111", "job-2026-01-01-abd222"] });
  });

  it.each(["", "%", "job-2027", "job_2026"])("says when there is none: '%s'", async (given) => {
    await expect(findJob(store, given)).rejects.toBeInstanceOf(JobNotFoundError);
  });
});

describe("reading events", () => {
  it("goes on after the last that was read", async () => {
    await withEvents("job-2026-01-01-abc111", 10);
    const first = await readEvents(store, "job-2026-01-01-abc111", 0, 6);
    const second = await readEvents(store, "job-2026-01-01-abc111", 6, 6);
    expect([...first, ...second].map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(second.at(-1)).toEqual({
      seq: 10,
      at: expect.any(String),
      job: "job-2026-01-01-abc111",
      attempt: 1,
      type: "text",
      session: "a",
      text: "turn 8",
    });
  });
});
