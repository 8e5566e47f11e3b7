import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ChatOutput } from "../../config/chat-config.ts";
import type { Connector, Said } from "../../connectors/connector.ts";
import { UndeliveredError } from "../../connectors/error.ts";
import { TerminalChat } from "../../connectors/terminal/terminal.ts";
import { Journal } from "../../jobs/journal.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { putConversation } from "../../store/conversations/conversations.ts";
import { unsentIn } from "../../store/conversations/outbox.ts";
import { createJob } from "../../store/jobs.ts";
import { openStore } from "../../store/store.ts";
import { Telling } from "./telling.ts";

const output: ChatOutput = {
  ...{ toolResults: true, toolResultMaxLength: 900, systemStatus: true, errors: true, resultSummary: false },
  ...{ acknowledgeEmoji: "", typingIndicator: false, assistantMessages: "answers", progressIndicator: true },
};
const JOB = "job-2026-01-01-aaaaaa";

/** A job with a person in it, and a service that takes what `post` lets through. */
async function telling({ limit = 2_000, post }: { limit?: number; post?: (said: Said) => void } = {}) {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const folder = mkdtempSync(join(tmpdir(), "baton-telling-"));
  const store = await openStore(join(folder, "baton.db"));
  onTestFinished(async () => {
    vi.useRealTimers();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const chat = new TerminalChat({ limits: { message: limit, editEveryMs: 1 } });
  const inner = chat.connector();
  const connector: Connector = {
    ...inner,
    post: async (place, said, signal) => {
      post?.(said);
      return inner.post(place, said, signal);
    },
  };
  const place = chat.placeOf("C1", "1");
  await createJob(
    store,
    JOB,
    { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} },
    new Date(),
  );
  await putConversation(store, {
    ...{ key: place.key, kind: "talk", place, service: "terminal", agent: "coder", job: JOB, session: null },
    ...{ toldSeq: 0, lastAt: "", endedAt: null, live: [], status: null },
  });
  const journal = new Journal(store, await claimJob(store, JOB, thisProcess(), new Date()), () => new Date());
  onTestFinished(() => journal[Symbol.asyncDispose]());
  const troubles: string[] = [];
  const one = new Telling({
    store,
    voiceOf: () => ({ connector, output }),
    attending: () => undefined,
    said: () => {},
    trouble: (_, why) => troubles.push(why),
    signal: new AbortController().signal,
  });
  const look = async () => {
    await one.look();
    await one.idle();
  };
  return { store, chat, journal, look, troubles };
}

it("keeps an answer for as long as its service cannot be reached, and posts it once", async () => {
  let fails = 40;
  const { chat, journal, look, store } = await telling({
    post: () => {
      if (fails-- > 0) throw new UndeliveredError("the service gave no answer", "", true);
    },
  });
  await journal.record({ type: "text", session: "one", text: "Yes." });
  await journal.record({ type: "person:awaited", session: "one" });
  for (let round = 0; round < 45; round++) {
    await look();
    vi.advanceTimersByTime(61_000);
  }
  expect(chat.shown.map(({ text }) => text)).toEqual(["Yes."]);
  expect(await unsentIn(store)).toEqual([]);
});

it("gives up at once what a service refuses, and says what comes after it", async () => {
  const { chat, journal, look, troubles } = await telling({
    post: ({ text }) => {
      if (text === "No.") throw new UndeliveredError("the channel is archived", "", false);
    },
  });
  for (const text of ["No.", "Yes."]) {
    await journal.record({ type: "text", session: "one", text });
    await journal.record({ type: "person:awaited", session: "one" });
  }
  await look();
  await look();
  expect(chat.shown.map(({ text }) => text)).toEqual(["Yes."]);
  expect(troubles.join("\n")).toContain("was given up: the channel is archived");
});

it("takes the buttons away with the answer where a question took more than one message", async () => {
  const { chat, journal, look } = await telling({ limit: 1_000 });
  const call = { session: "one", call: "call-1", name: "Bash", summary: "", digest: "d" };
  await journal.record({ type: "ask:made", ask: "ask-1", ...call, input: "touch made\n".repeat(200) });
  await look();
  await look();
  const asking = chat.shown.filter(({ buttons }) => buttons.length > 0);
  expect(chat.shown.length).toBeGreaterThan(1);
  expect(asking).toHaveLength(1);
  await journal.record({ type: "ask:answered", ask: "ask-1", answer: { answer: "no" } });
  await look();
  expect(asking[0]?.buttons).toEqual([]);
  expect(asking[0]?.text).toContain("denied");
});
