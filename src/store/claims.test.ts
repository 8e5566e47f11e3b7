import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobEvent } from "../job/events.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob, JobOwnedError } from "./claims.ts";
import { JobNotFoundError } from "./errors.ts";
import { readEvents } from "./events.ts";
import { createJob, findJob } from "./jobs.ts";
import { sendRequest, takeRequests } from "./requests.ts";
import { openStore, type Store } from "./store.ts";
import { sweepInterrupted } from "./sweep.ts";

const id = "job-2026-01-01-abc123";
const now = new Date("2026-01-01T12:00:00Z");
const dead = { ...thisProcess(), boot: "an earlier boot" };
const remote = { ...thisProcess(), host: "elsewhere" };
const cancel = { kind: "cancel", payload: null, at: now.toISOString() } as const;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-claims-"));
  store = await openStore(join(folder, "baton.db"));
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} }, now);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A process that owned the job, wrote these events and was killed. */
async function diedAfter(...events: JobEvent[]) {
  const journal = new Journal(store, await claimJob(store, id, dead, now), () => now);
  for (const event of events) await journal.record(event);
}

describe("claiming a job", () => {
  it("counts the attempts and hands over the job as it is", async () => {
    await diedAfter({ type: "job:started", pid: 1, marker: "m" });
    const claim = await claimJob(store, id, thisProcess(), now);
    expect(claim).toMatchObject({ attempt: 2, job: { status: "running", marker: "m" } });
  });

  it("is refused while its owner lives, and says who that is and what to do", async () => {
    await claimJob(store, id, thisProcess(), now);
    const error = await claimJob(store, id, thisProcess(), now).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(JobOwnedError);
    expect(error).toMatchObject({
      owner: { pid: process.pid, since: "2026-01-01T12:00:00.000Z" },
      message: expect.stringContaining(`baton cancel ${id}`),
    });
  });

  it("is refused when nobody can tell whether the owner lives", async () => {
    await claimJob(store, id, remote, now);
    await expect(claimJob(store, id, thisProcess(), now)).rejects.toBeInstanceOf(JobOwnedError);
    expect(await sweepInterrupted(store, now)).toEqual([]);
  });

  it("says when there is no such job", async () => {
    await expect(claimJob(store, "job-x", thisProcess(), now)).rejects.toBeInstanceOf(JobNotFoundError);
  });
});

describe("a job whose owner died", () => {
  it.each([
    ["before it started", []],
    ["at work", [{ type: "job:started", pid: 1, marker: "m" }]],
    ["while it waited", [{ type: "limit:waiting", session: "a", until: 1, message: "limit" }]],
  ] satisfies [string, JobEvent[]][])("is marked interrupted: %s", async (_when, events) => {
    await diedAfter(...events);
    const marked = await sweepInterrupted(store, now);
    expect(marked).toMatchObject([{ id, status: "interrupted", attempt: 2 }]);
    expect(await findJob(store, id)).toEqual(marked[0]);
    expect((await readEvents(store, id, 0)).at(-1)).toMatchObject({ type: "job:interrupted", attempt: 2 });
    expect(await sweepInterrupted(store, now)).toEqual([]);
  });

  it.each([
    { type: "job:completed", result: "Done" },
    { type: "job:paused", code: "thrash", message: "No room" },
  ] satisfies JobEvent[])("stays as it is when it had come to an end: $type", async (end) => {
    await diedAfter({ type: "job:started", pid: 1, marker: "m" }, end);
    const before = await findJob(store, id);
    expect(await sweepInterrupted(store, now)).toEqual([]);
    expect(await findJob(store, id)).toEqual(before);
  });

  it("is not marked while its owner lives", async () => {
    await claimJob(store, id, thisProcess(), now);
    expect(await sweepInterrupted(store, now)).toEqual([]);
  });
});

describe("a request to a job's owner", () => {
  it("is taken once", async () => {
    const { attempt } = await claimJob(store, id, thisProcess(), now);
    expect(await takeRequests(store, id, attempt, now)).toEqual([]);
    await sendRequest(store, id, cancel);
    expect(await takeRequests(store, id, attempt, now)).toEqual([cancel]);
    expect(await takeRequests(store, id, attempt, now)).toEqual([]);
  });

  it("is not taken by an owner that was replaced", async () => {
    const old = await claimJob(store, id, dead, now);
    const current = await claimJob(store, id, thisProcess(), now);
    await sendRequest(store, id, cancel);
    expect(await takeRequests(store, id, old.attempt, now)).toEqual([]);
    expect(await takeRequests(store, id, current.attempt, now)).toEqual([cancel]);
  });

  it("does not stop a later owner, who resumed the job on purpose", async () => {
    await claimJob(store, id, dead, now);
    await sendRequest(store, id, cancel);
    const { attempt } = await claimJob(store, id, thisProcess(), now);
    expect(await takeRequests(store, id, attempt, now)).toEqual([]);
  });
});
