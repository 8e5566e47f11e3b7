import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Journal } from "../../jobs/journal.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../claims.ts";
import { createJob } from "../jobs.ts";
import { queueMessage } from "../messages.ts";
import { openStore, type Store } from "../store.ts";
import {
  chatEventDone,
  forgetChatEvents,
  lastChatEvents,
  openChatEvents,
  recordChatEvent,
} from "./chat-events.ts";
import {
  behindConversations,
  type Conversation,
  conversationAt,
  expiredConversations,
  jobsToWake,
  liveAt,
  liveBegun,
  liveOver,
  putConversation,
} from "./conversations.ts";
import { putInOutbox, refOf, unsentIn, wasSent } from "./outbox.ts";

const JOB = "job-2026-01-01-aaaaaa";
const NOW = new Date(0);

async function aStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "baton-conversations-"));
  const store = await openStore(join(folder, "baton.db"));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  await createJob(store, JOB, { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, NOW);
  return store;
}

const talk: Conversation = {
  ...{ key: "slack:T1:C1:1.1", kind: "talk", service: "slack", agent: "coder", job: JOB, session: null },
  place: { key: "slack:T1:C1:1.1", channel: "C1", thread: "1.1", isDirect: false },
  ...{ toldSeq: 0, lastAt: NOW.toISOString(), endedAt: null, live: [], status: null },
};

it("turns to the next session with the journal, and wakes a job that rests while something waits for it", async () => {
  const store = await aStore();
  await putConversation(store, talk);
  {
    await using journal = new Journal(store, await claimJob(store, JOB, thisProcess(), NOW), () => NOW);
    await journal.record({ type: "session:starting", session: "one", ordinal: 1, mode: "fresh" });
    expect(await conversationAt(store, talk.key)).toMatchObject({ session: "one" });
    await journal.record({ type: "session:starting", session: "two", ordinal: 2, mode: "continuation" });
    expect(await conversationAt(store, talk.key)).toMatchObject({ session: "two" });
    await queueMessage(store, JOB, { text: "More.", moment: "boundary", at: "" });
    expect(await jobsToWake(store)).toEqual([]);
    await journal.record({ type: "job:paused", code: "awaiting", message: "" });
  }
  expect(await jobsToWake(store)).toEqual([{ job: JOB, key: talk.key }]);
  expect(await behindConversations(store)).toMatchObject([{ key: talk.key }]);
});

it("expires when nobody has written for long, and not while its job works", async () => {
  const store = await aStore();
  await putConversation(store, talk);
  const now = { at: NOW };
  await using journal = new Journal(store, await claimJob(store, JOB, thisProcess(), NOW), () => now.at);
  const expired = async (before: number) =>
    expiredConversations(store, { service: "slack", agent: "coder", before: new Date(before) });
  await journal.record({ type: "session:starting", session: "one", ordinal: 1, mode: "fresh" });
  expect(await expired(10_000)).toEqual([{ key: talk.key }]);
  now.at = new Date(20_000);
  await journal.record({ type: "text", session: "one", text: "Still at it." });
  expect(await expired(10_000)).toEqual([]);
  expect(await expired(30_000)).toEqual([{ key: talk.key }]);
});

it("knows an event that it was told again, and keeps what it says only until it is done", async () => {
  const store = await aStore();
  const event = { id: "slack:E1", conversation: talk.key, event: { text: "Hello" } };
  expect(await recordChatEvent(store, event, NOW)).toBe(true);
  expect(await recordChatEvent(store, event, NOW)).toBe(false);
  expect(await openChatEvents(store)).toEqual([event]);
  expect(await chatEventDone(store, event.id, NOW)).toBe(true);
  expect(await chatEventDone(store, event.id, NOW)).toBe(false);
  expect(await recordChatEvent(store, event, NOW)).toBe(false);
  const rows = await store.db.selectFrom("chat_events").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain("Hello");
});

it("forgets what no service tells again, but for the last: from there on it asks what was missed", async () => {
  const store = await aStore();
  for (const [index, id] of ["slack:E1", "slack:E2"].entries()) {
    const at = new Date(index);
    await recordChatEvent(store, { id, conversation: talk.key, event: {} }, at);
    await chatEventDone(store, id, at);
  }
  await forgetChatEvents(store, new Date(1_000));
  expect(await lastChatEvents(store, "slack", 9)).toEqual(["slack:E2"]);
});

it("says nothing twice, and knows where it was said", async () => {
  const store = await aStore();
  const row = {
    conversation: talk.key,
    job: JOB,
    source: `${JOB}:7`,
    nonce: "n1",
    said: { text: "Yes." },
    isLive: false,
  };
  await putInOutbox(store, row, NOW);
  await putInOutbox(store, { ...row, nonce: "n2" }, NOW);
  const [only, ...others] = await unsentIn(store);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ nonce: "n1", said: { text: "Yes." } });
  await wasSent(store, only?.id ?? 0, "1700.5", NOW);
  expect(await unsentIn(store)).toEqual([]);
  expect(await refOf(store, row.source)).toBe("1700.5");
});

it("remembers which messages show a text that is not complete, and where they are", async () => {
  const store = await aStore();
  await putConversation(store, talk);
  for (const nonce of ["a1", "b2", "c3"]) await liveBegun(store, talk.key, nonce);
  const row = { conversation: talk.key, job: JOB, source: "1", said: {}, isLive: true };
  for (const nonce of ["b2", "c3"]) await putInOutbox(store, { ...row, nonce, source: nonce }, NOW);
  for (const ref of ["1700.1", "1700.2"]) await liveAt(store, talk.key, { nonce: "b2", ref });
  expect((await unsentIn(store)).map(({ ref }) => ref)).toEqual(["1700.2", null]);
  expect(await liveOver(store, talk.key, "b2")).toEqual({ nonce: "b2", ref: "1700.2" });
  expect(await conversationAt(store, talk.key)).toMatchObject({ live: [{ nonce: "a1" }, { nonce: "c3" }] });
  for (const nonce of ["c3", "a1", "b2"]) await liveOver(store, talk.key, nonce);
  expect(await conversationAt(store, talk.key)).toMatchObject({ live: [] });
});
