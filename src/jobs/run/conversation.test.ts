import { expect, it } from "vitest";
import { Conversation } from "./conversation.ts";

const untilCalled = (call: AbortSignal) =>
  new Promise<boolean>((resolve) => call.addEventListener("abort", () => resolve(false), { once: true }));

function talk(): { conversation: Conversation; awaited: Promise<void> } {
  const { promise: awaited, resolve } = Promise.withResolvers<void>();
  return {
    conversation: new Conversation({
      overhear() {},
      onAwaited: resolve,
      onTakenUp() {},
      permit: async () => ({ answer: "no" }),
    }),
    awaited,
  };
}

it("keeps what a person wants while the session is busy, in order", async () => {
  const { conversation } = talk();
  conversation.want({ kind: "message", text: "one" });
  conversation.want({ kind: "hand-off", focus: "the tests" });
  expect(await conversation.next(untilCalled)).toEqual({ kind: "message", text: "one" });
  expect(await conversation.next(untilCalled)).toEqual({ kind: "hand-off", focus: "the tests" });
});

it("says when the session waits, and no longer once the person has spoken", async () => {
  const { conversation, awaited } = talk();
  expect(conversation.isAwaited).toBe(false);
  const next = conversation.next(untilCalled);
  await awaited;
  expect(conversation.isAwaited).toBe(true);
  conversation.want({ kind: "end" });
  expect(conversation.isAwaited).toBe(false);
  expect(await next).toEqual({ kind: "end" });
});

it("stops waiting when the session begins to work by itself", async () => {
  const { conversation } = talk();
  expect(await conversation.next(async () => true)).toBeUndefined();
  expect(conversation.isAwaited).toBe(false);
});
