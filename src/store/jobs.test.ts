import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_VERSION } from "../job/event-versions.ts";
import type { JobEvent } from "../job/events.ts";
import { jobId } from "../job/id.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { AmbiguousJobError, JobNotFoundError } from "./errors.ts";
import { readEvents } from "./events.ts";
import { allJobs, countJobs, type JobFilter, listJobs } from "./job-list.ts";
import { createJob, findJob, getJob } from "./jobs.ts";
import { openStore, type Store } from "./store.ts";
import { sweepInterrupted } from "./sweep.ts";

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

/** Runs a job through these events, and gives it up. */
async function run(id: string, at: string, events: JobEvent[], epic?: string) {
  const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
  await createJob(store, id, { ...created, ...(epic && { epic }) }, new Date(at));
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date(at));
  for (const event of events) await journal.record(event);
}

const handedOff: JobEvent[] = [
  {
    type: "context:handoff:start",
    agentName: "coder",
    jobId: "",
    oldSessionId: "a",
    usagePercent: 0.5,
    inputTokens: 1,
    contextWindow: 2,
    trigger: "manual",
    handoffNumber: 1,
  },
  {
    type: "handoff:stored",
    handoffNumber: 1,
    session: "a",
    source: "agent",
    outcome: "written",
    checks: [],
    documentPath: "/handoff.md",
    durationMs: 1,
  },
];
const completed: JobEvent = { type: "job:completed", result: "Done." };

describe("listing some jobs", () => {
  const ids = async (filter: JobFilter) => (await listJobs(store, 10, filter)).map(({ id }) => id.slice(-1));

  beforeEach(async () => {
    await run("job-2026-01-01-a", "2026-01-01T00:00:00Z", [...handedOff, completed], "one");
    await run("job-2026-01-02-b", "2026-01-02T00:00:00Z", [completed], "two");
    await run("job-2026-01-03-c", "2026-01-03T00:00:00Z", [{ type: "job:failed", error: "No." }], "one");
    await run("job-2026-01-04-d", "2026-01-04T00:00:00Z", [{ type: "job:started", pid: 1, marker: "m" }]);
    await run("job-2026-01-05-e", "2026-01-05T00:00:00Z", handedOff, "one");
  });

  it("takes them by what their last event left them in", async () => {
    expect(await ids({ status: "completed" })).toEqual(["b", "a"]);
    expect(await ids({ status: "failed" })).toEqual(["c"]);
    expect(await ids({ epic: "one" })).toEqual(["e", "c", "a"]);
    expect(await ids({ epic: "one", status: "completed" })).toEqual(["a"]);
    expect(await ids({ handedOff: true })).toEqual(["e", "a"]);
    expect(await ids({ finishedBefore: new Date("2026-01-03T00:00:00Z") })).toEqual(["b", "a"]);
    expect(await countJobs(store)).toEqual({ completed: 2, failed: 1, running: 1, created: 1 });
  });

  it("goes on after the last that was seen, and walks through all of them", async () => {
    const [first] = await listJobs(store, 1);
    expect((await listJobs(store, 2, {}, first)).map(({ id }) => id.slice(-1))).toEqual(["d", "c"]);
    for (let more = 0; more < 50; more++) await create(`job-2025-01-01-x${more}`, "2025-01-01T00:00:00Z");
    const seen = new Set<string>();
    for await (const { id } of allJobs(store, {})) seen.add(id);
    expect(seen.size).toBe(55);
  });

  it("knows of a job that was picked up again, and of one whose process died", async () => {
    const resumed = await claimJob(store, "job-2026-01-03-c", thisProcess(), new Date());
    await using journal = new Journal(store, resumed, () => new Date());
    await journal.record({ type: "job:resumed", message: "Again." });
    await claimJob(store, "job-2026-01-04-d", { ...thisProcess(), boot: "an earlier boot" }, new Date());
    await sweepInterrupted(store, new Date());
    expect(await countJobs(store)).toEqual({ completed: 2, running: 1, interrupted: 1, created: 1 });
    expect(await ids({ finishedBefore: new Date("2027-01-01") })).toEqual(["b", "a"]);
  });

  it("reads the snapshots of no other jobs", async () => {
    await store.db
      .updateTable("jobs")
      .set({ snapshot: "no JSON", updated_at: "" })
      .where("status", "=", "failed")
      .execute();
    expect(await ids({ status: "completed" })).toEqual(["b", "a"]);
    await expect(ids({ status: "failed" })).rejects.toMatchObject({ code: "damaged" });
  });
});

describe("the events of all jobs", () => {
  it("have one number that only increases, whichever job they are of, and the version of their shape", async () => {
    for (const id of ["job-2026-01-01-a", "job-2026-01-01-b"]) await create(id, "2026-01-01T00:00:00Z");
    const journals = await Promise.all(
      ["job-2026-01-01-a", "job-2026-01-01-b"].map(
        async (id) =>
          new Journal(store, await claimJob(store, id, thisProcess(), new Date()), () => new Date()),
      ),
    );
    for (const message of ["1", "2"]) {
      for (const journal of journals) await journal.record({ type: "warning", message });
    }
    for (const journal of journals) await journal.close();
    const rows = await store.db.selectFrom("events").selectAll().orderBy("id").execute();
    expect(rows.map(({ job, seq }) => `${job.slice(-1)}${seq}`)).toEqual([
      "a1",
      "b1",
      "a2",
      "b2",
      "a3",
      "b3",
    ]);
    expect(rows.every(({ version }) => version === EVENT_VERSION)).toBe(true);
    const last = rows.at(-1);
    if (!last) throw new Error("there are no events");
    await store.db.deleteFrom("events").where("id", "=", last.id).execute();
    const { id: _, ...again } = last;
    await store.db.insertInto("events").values(again).execute();
    const { id } = await store.db
      .selectFrom("events")
      .select("id")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(id).toBe(last.id + 1);
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

  it("takes the whole of an id for that job alone, and looks it up without a walk through the others", async () => {
    await create("job-2026-01-01-abc1112", "2026-01-01T00:00:00Z");
    expect((await findJob(store, "job-2026-01-01-abc111")).id).toBe("job-2026-01-01-abc111");
    const { rows } = await sql<{ detail: string }>`
      explain query plan select id, snapshot from jobs where id = ${"job-2026-01-01-abc111"}`.execute(
      store.db,
    );
    expect(rows.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH jobs USING INDEX/)]);
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
