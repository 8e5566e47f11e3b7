import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JobEvent } from "../../job/events.ts";
import { Journal } from "../../jobs/journal.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { createJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { openProjectStore } from "../project.ts";
import { jobToResume, namedOrNewest, namedOrRunning } from "./which.ts";

let root: string;
let store: Store;
let count = 0;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "baton-which-"));
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  store = await openProjectStore({ root });
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const STARTED: JobEvent = { type: "job:started", pid: 1, marker: "m" };
const BEGUN: JobEvent = { type: "session:starting", session: "s", ordinal: 1, mode: "fresh" };
const PAUSED: JobEvent = { type: "job:paused", code: "limit_reached", message: "Enough." };
const CANCELLED: JobEvent = { type: "job:cancelled", message: "by Ctrl-C" };

async function job(id: string, ...events: JobEvent[]): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, count++));
  const created = { type: "job:created" as const, agent: "coder", prompt: `Do ${id}.`, agentConfig: {} };
  await createJob(store, id, created, at);
  const claim = await claimJob(store, id, thisProcess(), at);
  await using journal = new Journal(store, claim, () => at);
  for (const event of events) journal.append(event);
}

it("takes the newest job where none is named", async () => {
  await expect(namedOrNewest(store, undefined)).rejects.toThrow(/No job has run here yet.*baton run/);
  await job("job-1", STARTED);
  await job("job-2", STARTED, PAUSED);
  expect((await namedOrNewest(store, undefined)).id).toBe("job-2");
  expect((await namedOrNewest(store, "job-1")).id).toBe("job-1");
});

it("resumes the newest that can be, and neither a chat nor one that was skipped", async () => {
  const resumed = (attended: boolean) => jobToResume({ root }, { attended });
  await expect(resumed(false)).rejects.toThrow("No job here can be resumed");
  await job("job-1", STARTED, BEGUN, PAUSED);
  await job("job-2", STARTED, BEGUN, { type: "person:awaited", session: "s" }, CANCELLED);
  await job("job-3", STARTED, { type: "job:completed", result: "Done." });
  await job("job-4", STARTED, CANCELLED);
  expect((await resumed(false)).id).toBe("job-1");
  expect((await resumed(true)).id).toBe("job-2");
});

it("takes the only job at work, and lists them where there are several", async () => {
  const running = () => namedOrRunning(store, undefined, "cancel");
  await job("job-1", STARTED, PAUSED);
  await expect(running()).rejects.toThrow("No job is running here");
  await job("job-2", STARTED);
  expect((await running()).id).toBe("job-2");
  await job("job-3", STARTED);
  await expect(running()).rejects.toThrow(
    "Several jobs are running. Name one:\n" +
      "  baton cancel job-3   coder: Do job-3.\n  baton cancel job-2   coder: Do job-2.",
  );
  expect((await namedOrRunning(store, "job-1", "cancel")).id).toBe("job-1");
});
