import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobEvent } from "../job/events.ts";
import { timeAtWork } from "../job/limits.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "../store/claims.ts";
import { FencedError, readEvents } from "../store/events.ts";
import { createJob, findJob } from "../store/jobs.ts";
import { openStore, type Store } from "../store/store.ts";
import { Journal, JournalClosedError, StoreHeldError } from "./journal.ts";

const id = "job-2026-01-01-abc123";
const now = new Date("2026-01-01T00:00:00Z");
const text = (value: string): JobEvent => ({ type: "text", session: "a", text: value });
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const anotherBoot = { ...thisProcess(), boot: "an earlier boot" };

let folder: string;
let store: Store;
/** A connection of its own: it sees only what is committed. */
let observer: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-journal-"));
  store = await openStore(join(folder, "baton.db"));
  observer = await openStore(join(folder, "baton.db"));
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} }, now);
});

afterEach(async () => {
  await store.close();
  await observer.close();
  rmSync(folder, { recursive: true });
});

const open = async (owner = thisProcess()) =>
  new Journal(store, await claimJob(store, id, owner, now), () => now);
const texts = async () =>
  (await readEvents(observer, id, 1)).map((event) => (event.type === "text" ? event.text : event.type));

describe("a journal", () => {
  it("has an event on disk, and all before it, when record resolves", async () => {
    await using journal = await open();
    journal.append(text("one"));
    journal.append(text("two"));
    await journal.record({ type: "job:started", pid: 1, marker: "m" });
    expect(await texts()).toEqual(["one", "two", "job:started"]);
    expect(await findJob(observer, id)).toEqual(journal.job);
  });

  it("writes appended events without being asked, and tells of them when they are durable", async () => {
    await using journal = await open();
    const seen = new Promise<number>((resolve) => journal.subscribe((event) => resolve(event.seq)));
    journal.append(text("one"));
    expect(journal.job.seq).toBe(2);
    expect(await texts()).toEqual([]);
    expect(await seen).toBe(2);
    expect(await texts()).toEqual(["one"]);
  });

  it("keeps the order of events that many parts write at once", async () => {
    await using journal = await open();
    const heard: number[] = [];
    journal.subscribe((event) => heard.push(event.seq));
    const values = Array.from({ length: 200 }, (_, index) => String(index));
    await Promise.all(
      values.map((value, index) =>
        index % 3 === 0 ? journal.record(text(value)) : journal.append(text(value)),
      ),
    );
    await journal.flush();
    expect(await texts()).toEqual(values);
    expect(heard).toEqual(values.map((_, index) => index + 2));
  });

  it("counts no time in which the clock was set or the machine slept, and says so", async () => {
    let [at, passed] = [now.getTime(), 0];
    const pass = (ms: number, byMs = ms) => {
      passed += ms;
      at += byMs;
    };
    const claim = await claimJob(store, id, thisProcess(), now);
    await using journal = new Journal(
      store,
      claim,
      () => new Date(at),
      () => passed,
    );
    journal.append({ type: "job:started", pid: 1, marker: "m" });
    pass(MINUTE);
    journal.append(text("one"));
    pass(MINUTE, 3 * DAY);
    expect(timeAtWork(journal.job, journal.now())).toBe(2 * MINUTE);
    journal.append(text("after a sleep"));
    pass(MINUTE, -DAY);
    await journal.record(text("set back"));
    pass(MINUTE, MINUTE + 2_000);
    await journal.record({ type: "job:completed", result: "" });
    expect(journal.job.activeMs).toBe(4 * MINUTE + 2_000);
    expect(await texts()).toEqual([
      "job:started",
      "one",
      "clock:moved",
      "after a sleep",
      "clock:moved",
      "set back",
      "job:completed",
    ]);
  });

  it("keeps what it could not write while another process holds the store, and writes it when that is over", async () => {
    const impatient = await openStore(join(folder, "baton.db"), 1);
    const claim = await claimJob(impatient, id, thisProcess(), now);
    const journal = new Journal(impatient, claim, () => now);
    await sql`begin immediate`.execute(observer.db);
    await expect(journal.record(text("one"))).rejects.toBeInstanceOf(StoreHeldError);
    expect(journal.held.reason).toBeInstanceOf(StoreHeldError);
    expect(journal.lost.aborted).toBe(false);
    journal.append(text("two"));
    await expect(journal.flush()).rejects.toBeInstanceOf(StoreHeldError);
    await sql`commit`.execute(observer.db);
    await journal.freed();
    expect(await texts()).toEqual(["one", "two"]);
    await journal.close();
    await impatient.close();
  });

  it("is refused once another process has taken the job over", async () => {
    const old = await open(anotherBoot);
    await using current = await open();
    await expect(old.record(text("late"))).rejects.toBeInstanceOf(FencedError);
    expect(old.lost.reason).toBeInstanceOf(FencedError);
    await old.close();
    await current.record(text("mine"));
    expect(await texts()).toEqual(["mine"]);
  });

  it("lets the owner know when an appended event was refused", async () => {
    const old = await open(anotherBoot);
    await using _current = await open();
    const lost = new Promise((resolve) => old.lost.addEventListener("abort", resolve));
    old.append(text("late"));
    await lost;
    expect(old.lost.reason).toMatchObject({ name: "FencedError", job: id, attempt: 1 });
  });

  it("outlives a listener that throws: the job goes on, the others hear everything, and it is said once", async () => {
    const journal = await open();
    const heard: number[] = [];
    journal.subscribe(() => {
      throw new Error("the reader is broken");
    });
    journal.subscribe(async () => {
      throw new Error("so is this one");
    });
    journal.subscribe((event) => heard.push(event.seq));
    await journal.record(text("one"));
    journal.append(text("two"));
    await journal.close();
    expect(journal.lost.aborted).toBe(false);
    const events = await readEvents(observer, id, 1);
    expect(heard).toEqual(events.map(({ seq }) => seq));
    expect(events.flatMap((event) => (event.type === "text" ? [event.text] : []))).toEqual(["one", "two"]);
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings).toEqual([
      expect.stringContaining("the reader is broken"),
      expect.stringContaining("so is this one"),
    ]);
  });

  it("shortens what an agent's tool printed, and keeps its beginning and end", async () => {
    await using journal = await open();
    const output = `first${"x".repeat(100_000)}last`;
    await journal.record({ type: "tool:end", session: "a", id: "t", ok: true, output });
    const [event] = await readEvents(observer, id, 1);
    const stored = event?.type === "tool:end" ? event.output : "";
    expect(stored).toMatch(/^first.*\n… 83625 characters left out …\n.*last$/s);
    expect(stored.length).toBeLessThan(17_000);
  });

  it("gives the job up when it closes, and takes nothing after that", async () => {
    const journal = await open();
    journal.append(text("last"));
    await journal.close();
    await journal.close();
    expect(await texts()).toEqual(["last"]);
    expect(journal.lost.aborted).toBe(false);
    await expect(journal.record(text("more"))).rejects.toBeInstanceOf(JournalClosedError);
    await using next = await open();
    expect(next.attempt).toBe(2);
  });

  it("reports a full disk and leaves what was written before readable", async () => {
    const journal = await open();
    await journal.record(text("kept"));
    await sql`pragma max_page_count = 1`.execute(store.db);
    await expect(async () => {
      for (;;) await journal.record(text("x".repeat(16_000)));
    }).rejects.toMatchObject({ name: "StoreError", code: "full", path: store.path });
    expect(journal.lost.reason).toMatchObject({ code: "full" });
    const shown = await findJob(observer, id);
    const events = await readEvents(observer, id, 0);
    expect(events.at(-1)?.seq).toBe(shown.seq);
    expect(await texts()).toContain("kept");
  });
});
