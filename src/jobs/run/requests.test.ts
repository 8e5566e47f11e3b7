import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { createJob } from "../../store/jobs.ts";
import { sendRequest } from "../../store/requests.ts";
import { openStore, type Store } from "../../store/store.ts";
import { Journal } from "../journal.ts";
import { Control } from "./control.ts";
import { listenForRequests } from "./requests.ts";

const TICK_MS = 200;
const now = new Date();
const CANCEL = { kind: "cancel", payload: null, at: now.toISOString() } as const;
let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-requests-"));
  store = await openStore(join(folder, "baton.db"));
  vi.useFakeTimers();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function listening(id: string) {
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} }, now);
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now), () => now);
  const control = new Control();
  return { control, listener: listenForRequests(journal, control) };
}

/** How often the store is asked for requests while this happens. */
async function asking(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(store.db, "selectFrom");
  await work();
  const count = asked.mock.calls.filter(([table]) => String(table) === "requests").length;
  asked.mockRestore();
  return count;
}

/** As another process has it: none of this one hears what is sent to it. */
async function openedByAnother(): Promise<Store> {
  const opened = await openStore(store.path);
  return { ...opened, path: "elsewhere", [Symbol.asyncDispose]: () => opened.close() };
}

it("asks the store once at a time for all jobs of a process, and each job hears what is meant for it", async () => {
  const one = await listening("job-2026-01-01-one");
  const two = await listening("job-2026-01-01-two");
  const three = await listening("job-2026-01-01-three");
  expect(await asking(() => vi.advanceTimersByTimeAsync(TICK_MS))).toBe(1);

  await using elsewhere = await openedByAnother();
  await sendRequest(elsewhere, "job-2026-01-01-one", CANCEL);
  await sendRequest(elsewhere, "job-2026-01-01-two", CANCEL);
  const heard = [one, two].map(
    ({ control }) => new Promise((resolve) => control.ending.addEventListener("abort", resolve)),
  );
  await vi.advanceTimersByTimeAsync(TICK_MS);
  await Promise.all(heard);
  expect(three.control.ending.aborted).toBe(false);
});

it("asks as long as one job is left, and no longer", async () => {
  const { listener: first } = await listening("job-2026-01-01-one");
  const { listener: second } = await listening("job-2026-01-01-two");
  first[Symbol.dispose]();
  expect(await asking(() => vi.advanceTimersByTimeAsync(TICK_MS))).toBe(1);
  second[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
  expect(await asking(() => vi.advanceTimersByTimeAsync(5 * TICK_MS))).toBe(0);
});

it("hears what this process itself asks before any time has passed, also while it asks the store", async () => {
  const jobs = ["job-2026-01-01-one", "job-2026-01-01-two"];
  const those = await Promise.all(jobs.map(listening));
  const heard = those.map(
    ({ control }) => new Promise((resolve) => control.ending.addEventListener("abort", resolve)),
  );
  for (const job of jobs) await sendRequest(store, job, CANCEL);
  await Promise.all(heard);
});
