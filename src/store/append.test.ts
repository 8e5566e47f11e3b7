import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import type { Job } from "../job/job.ts";
import { thisProcess } from "../processes/owner.ts";
import { appendEvents } from "./append.ts";
import { claimJob } from "./claims.ts";
import { FencedError, readEvents } from "./events.ts";
import { createJob, getJob } from "./jobs.ts";
import { openStore, type Store } from "./store.ts";

const NOW = new Date("2026-11-18T12:00:00Z");

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-append-"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function claimed(id: string): Promise<{ job: Job; attempt: number }> {
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, NOW);
  return claimJob(store, id, thisProcess(), NOW);
}

const warning = ({ job, attempt }: { job: Job; attempt: number }, message: string): JournalEvent => ({
  ...{ seq: job.seq + 1, at: NOW.toISOString(), job: job.id, attempt },
  type: "warning",
  message,
});

function written(claim: { job: Job; attempt: number }, message: string): Promise<void> {
  const event = warning(claim, message);
  return appendEvents(store, apply(claim.job, event), claim.attempt, [event]);
}

describe("what several jobs write in the same moment", () => {
  it("is one transaction, and all of it is there", async () => {
    const claims = await Promise.all(["job-a", "job-b", "job-c"].map((id) => claimed(id)));
    const transactions = vi.spyOn(store.db, "transaction");
    await Promise.all(claims.map((claim, index) => written(claim, `number ${index}`)));
    expect(transactions).toHaveBeenCalledTimes(1);
    for (const [index, { job }] of claims.entries()) {
      expect(
        (await readEvents(store, job.id, 1)).map((event) => "message" in event && event.message),
      ).toEqual([`number ${index}`]);
      expect((await getJob(store, job.id)).seq).toBe(2);
    }
  });

  it("is refused of the one that was replaced, and written of the others", async () => {
    const [old, other] = [await claimed("job-a"), await claimed("job-b")];
    const late = written({ ...old, attempt: old.attempt - 1 }, "too late");
    const fine = written(other, "in time");
    await expect(late).rejects.toThrow(FencedError);
    await fine;
    expect(await readEvents(store, "job-a", 1)).toEqual([]);
    expect(await readEvents(store, "job-b", 1)).toHaveLength(1);
  });

  it("is written of the others where one cannot be", async () => {
    const [bad, good] = [await claimed("job-a"), await claimed("job-b")];
    const twice = warning(bad, "twice");
    const broken = appendEvents(store, apply(bad.job, twice), bad.attempt, [twice, twice]);
    const fine = written(good, "fine");
    await expect(broken).rejects.toThrow();
    await fine;
    expect(await readEvents(store, "job-a", 1)).toEqual([]);
    expect(await readEvents(store, "job-b", 1)).toHaveLength(1);
  });
});
