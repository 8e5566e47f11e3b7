import { expect, it } from "vitest";
import type { JournalEvent } from "../job/events.ts";
import { apply } from "../job/fold.ts";
import { emptyJob } from "../job/job.ts";
import type { Journal } from "../jobs/journal.ts";
import { Chat } from "./chat.ts";

function aChat(isResumed = false, more: { earlier?: JournalEvent[] } = {}) {
  const left: string[] = [];
  const chat = new Chat({
    job: { ...emptyJob("one"), agent: "coder" },
    isResumed,
    paint: (_format, text) => text,
    files: async () => ["src/chat.ts"],
    ...more,
    leave: () => left.push("left"),
  });
  return { chat, left };
}

function types(chat: Chat, text: string): void {
  chat.act({ type: "edit", edit: { type: "insert", text } });
  chat.act({ type: "enter" });
}

const handingOff: JournalEvent = {
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  job: "one",
  attempt: 1,
  type: "context:handoff:start",
  agentName: "coder",
  jobId: "one",
  oldSessionId: "a",
  usagePercent: 0.5,
  inputTokens: 1,
  contextWindow: 2,
  trigger: "resume",
  handoffNumber: 1,
};

it("begins with the first message, and keeps what is sent before the job listens", async () => {
  const { chat } = aChat();
  types(chat, "first");
  types(chat, "second");
  expect(await chat.opening).toBe("first");
  expect(await chat.conversation.next(async () => false)).toEqual({ kind: "message", text: "second" });
});

it("keeps every message where the job is there already", async () => {
  const { chat } = aChat(true);
  types(chat, "first");
  expect(await chat.conversation.next(async () => false)).toEqual({ kind: "message", text: "first" });
  expect(chat.state.queued).toEqual(["first"]);
});

it("ends before the job has begun, and says so to whoever is about to begin it", async () => {
  const { chat } = aChat();
  types(chat, "first");
  chat.act({ type: "end-of-input" });
  expect(await chat.opening).toBe("first");
  expect(chat.signal.aborted).toBe(true);
});

it("does not break off an end that is under way, unless the person insists", async () => {
  const { chat, left } = aChat();
  chat.screen({ job: emptyJob("one") } as Journal);
  const next = chat.conversation.next(
    (call) => new Promise((done) => call.addEventListener("abort", () => done(false))),
  );
  chat.act({ type: "end-of-input" });
  chat.act({ type: "end-of-input" });
  expect(await next).toEqual({ kind: "end" });
  expect(chat.signal.aborted).toBe(false);
  chat.act({ type: "interrupt" });
  expect({ left, doing: chat.state.doing }).toEqual({
    left: [],
    doing: "ending, Ctrl-C again leaves without waiting",
  });
  chat.act({ type: "interrupt" });
  expect(left).toEqual(["left"]);
});

it("can be ended during a handoff that nobody can call off", () => {
  const { chat } = aChat(true);
  chat.screen({ job: apply(emptyJob("one"), handingOff) } as Journal);
  chat.act({ type: "interrupt" });
  expect(chat.state.lines.at(-1)).toContain("Ctrl-C again ends the chat.");
  chat.act({ type: "interrupt" });
  expect(chat.signal.aborted).toBe(true);
});

it("leaves on the screen what nobody was told", () => {
  const { chat } = aChat(true);
  types(chat, "queued");
  chat.act({ type: "edit", edit: { type: "insert", text: "a draft" } });
  chat.close();
  expect(chat.state.lines).toEqual(["Not sent: queued", "Not sent: a draft"]);
});

it("completes what is being written, and forgets what else it could have been", async () => {
  const { chat } = aChat();
  chat.act({ type: "edit", edit: { type: "insert", text: "/h" } });
  chat.act({ type: "complete" });
  expect(chat.state).toMatchObject({ editor: { text: "/h" }, candidates: ["/handoff", "/help"] });
  chat.act({ type: "edit", edit: { type: "insert", text: "e" } });
  expect(chat.state.candidates).toEqual([]);
  chat.act({ type: "complete" });
  expect(chat.state.editor.text).toBe("/help ");
  chat.act({ type: "edit", edit: { type: "clear" } });
  chat.act({ type: "edit", edit: { type: "insert", text: "look at @chat" } });
  chat.act({ type: "complete" });
  await expect.poll(() => chat.state.editor.text).toBe("look at @src/chat.ts ");
});

it("shows what was said before where it continues a chat", () => {
  const base = { at: "2026-01-01T00:00:00.000Z", job: "one", attempt: 1, session: "a" };
  const { chat } = aChat(true, {
    earlier: [
      { ...base, seq: 1, type: "message:sent", kind: "request", text: "What is in the shed?" },
      { ...base, seq: 2, type: "text", text: "A boat." },
    ],
  });
  expect(chat.state.lines).toEqual(["\n› What is in the shed?", "\nA boat."]);
});

it("asks one thing after the other, and gives back what the person was writing", async () => {
  const { chat } = aChat(true);
  chat.act({ type: "edit", edit: { type: "insert", text: "a draft" } });
  const ask = (id: string, signal = new AbortController().signal) =>
    chat.conversation.permit?.(
      { id, name: "Bash", about: "npm test", input: {}, rule: "Bash(npm test:*)" },
      signal,
    );
  const late = new AbortController();
  const asked = [ask("1"), ask("2"), ask("3", late.signal)];
  expect(chat.state.questions.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  expect(chat.state.editor.text).toBe("");
  types(chat, "always");
  expect(await asked[0]).toEqual({ answer: "always" });
  chat.act({ type: "escape" });
  expect(await asked[1]).toEqual({ answer: "no" });
  late.abort();
  expect(await asked[2]).toEqual({ answer: "no" });
  expect(chat.state).toMatchObject({ questions: [], queued: [], editor: { text: "a draft" } });
});
