import { describe, expect, it } from "vitest";
import { firstLeg, only, playedJob, typesOf } from "../../../test/played-job.ts";
import { background, completed, idle, response, turnEnd } from "../../../test/played-session.ts";
import { notWantedPrompt } from "../../handoff/continuation.ts";
import type { JobEvent } from "../../job/events.ts";
import { JobCancelled } from "../reasons.ts";
import { Conversation, type Wish } from "./conversation.ts";
import type { Leg } from "./leg.ts";
import type { LegEnd } from "./leg-end.ts";
import { Talk } from "./talk.ts";

/** A person at a job whose session has done what it was told. */
async function attended() {
  const played = playedJob({ isAttended: true });
  const leg = await firstLeg(played);
  played.session.play(response(10_000), completed(), idle);
  await leg.run();
  const awaited = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let times = 0;
  const onAwaited = () => awaited[times++]?.resolve();
  const conversation = new Conversation({
    overhear() {},
    onAwaited,
    onTakenUp() {},
    permit: async () => ({ answer: "no" }),
  });
  const talk = new Talk(() => played.context, conversation);
  /** What comes of a wish that the person has once they are waited for. */
  const wanting = async (wish: Wish, of: Leg = leg) => {
    conversation.want(wish);
    return talk.listen(of);
  };
  const [first, second] = awaited;
  const waits = { awaited: first.promise, awaitedAgain: second.promise };
  return { ...played, ...waits, leg, talk, conversation, wanting };
}

const said = (events: readonly JobEvent[]) =>
  only(events, "message:sent").map(({ session, kind, text }) => ({ session, kind, text }));
const warnings = (events: readonly JobEvent[]) => only(events, "warning").map(({ message }) => message);
const failed: LegEnd = { kind: "failed", message: "Invalid API key" };
const gone: LegEnd = { kind: "trouble", code: "api_failing", alive: false, message: "It ended by itself." };

describe("a person", () => {
  it("is waited for when the session has nothing more to do, and what they say is its next turn", async () => {
    const { wanting, leg, session, events, context } = await attended();
    const heard = await wanting({ kind: "message", text: "And now the tests." });
    expect(heard).toEqual({ kind: "at-work", leg });
    expect(session.sent.at(-1)).toEqual({ text: "And now the tests.", verbatim: false });
    expect(typesOf(events).slice(-2)).toEqual(["person:awaited", "message:sent"]);
    expect(said(events).at(-1)).toEqual({ session: "first", kind: "said", text: "And now the tests." });
    expect(context.facts.facts().messages).toEqual(["And now the tests."]);
  });

  it("is not waited for any longer when the session picks up work by itself", async () => {
    const { talk, leg, session, awaited, conversation } = await attended();
    leg.waitForPerson();
    const heard = talk.listen(leg);
    await awaited;
    expect(conversation.isAwaited).toBe(true);
    session.play({ type: "activity" }, background(), response(11_000));
    expect(await heard).toEqual({ kind: "at-work", leg });
    expect(leg.isWaiting).toBe(false);
  });

  it("can ask for a handoff with a focus", async () => {
    const { wanting, leg } = await attended();
    expect(await wanting({ kind: "hand-off", focus: "the tests" })).toEqual({
      kind: "hand-off",
      leg,
      trigger: "manual",
      focus: "the tests",
    });
  });

  it("ends the job, which is complete where its last turn was", async () => {
    const { wanting, talk, leg } = await attended();
    expect(talk.takesOver(leg, { kind: "completed", text: "Done." })).toBe(true);
    expect(await wanting({ kind: "end" })).toEqual({ kind: "end", leg });
  });

  it("ends a job that is not complete where its last turn came to no good end", async () => {
    const { wanting, talk, leg } = await attended();
    talk.takesOver(leg, failed);
    await expect(wanting({ kind: "end" })).rejects.toBeInstanceOf(JobCancelled);
  });

  it("ends a complete job when a later turn made good for the one that failed", async () => {
    const { wanting, talk, leg } = await attended();
    talk.takesOver(leg, failed);
    talk.takesOver(leg, { kind: "completed", text: "Done." });
    expect(await wanting({ kind: "end" })).toMatchObject({ kind: "end" });
  });

  it("is not waited for once the job is ended from outside", async () => {
    const { talk, leg, awaited, stop } = await attended();
    const heard = talk.listen(leg);
    await awaited;
    stop.abort(new JobCancelled("by the user"));
    await expect(heard).rejects.toThrow("by the user");
  });
});

describe("the end of a turn", () => {
  it("is left to the rules where the window is full, or the user's own limit is reached", async () => {
    const { talk, leg, events } = await attended();
    expect(talk.takesOver(leg, { kind: "hand-off", trigger: "threshold" })).toBe(false);
    expect(talk.takesOver(leg, { kind: "overflow", message: "Prompt is too long" })).toBe(false);
    expect(talk.takesOver(leg, { kind: "paused", code: "limit_reached", message: "10 turns" })).toBe(false);
    expect(warnings(events)).toEqual([]);
  });

  it("is told to the person with its reason", async () => {
    const { talk, leg, events } = await attended();
    const resetsAt = Date.UTC(2026, 0, 1, 5);
    expect(talk.takesOver(leg, failed)).toBe(true);
    expect(talk.takesOver(leg, { kind: "paused", code: "max_turns", message: "50 turns" })).toBe(true);
    expect(talk.takesOver(leg, { kind: "limited", message: "5-hour limit.", resetsAt })).toBe(true);
    const time = new Date(resetsAt).toLocaleString();
    expect(warnings(events)).toEqual(["Invalid API key", "50 turns", `5-hour limit. It resets at ${time}.`]);
  });

  it("is called an interruption where the person broke it off", async () => {
    const { talk, leg, session, events } = await attended();
    leg.live.send({ text: "More.", verbatim: false });
    const run = leg.run();
    leg.breakOff();
    session.play(turnEnd({ kind: "interrupted" }));
    talk.takesOver(leg, await run);
    expect(warnings(events)).toEqual(["Interrupted."]);
  });

  it("fails a handoff that was to come at its next boundary", async () => {
    const { talk, leg, session, events } = await attended();
    leg.live.send({ text: "More.", verbatim: false });
    const run = leg.run();
    leg.requestHandoff("manual");
    session.play(turnEnd({ kind: "failed", message: "Overloaded", code: "api", retryable: true }));
    talk.takesOver(leg, await run);
    expect(only(events, "handoff:failed")).toMatchObject([
      { session: "first", message: expect.stringMatching(/before its next boundary/) },
    ]);
  });
});

describe("what a session is to hear first", () => {
  it("goes before what the person says, in one message, and both are on record", async () => {
    const { wanting, leg, session, events } = await attended();
    leg.waitForPerson({ kind: "retry", text: notWantedPrompt(), verbatim: true });
    await wanting({ kind: "message", text: "Write the README." });
    expect(session.sent.at(-1)).toMatchObject({ verbatim: true });
    expect(session.sent.at(-1)?.text).toMatch(
      /^The handoff is called off: do not write it\.\n\n.*Write the README\.$/s,
    );
    expect(said(events).slice(-2)).toEqual([
      { session: "first", kind: "retry", text: notWantedPrompt() },
      { session: "first", kind: "said", text: "Write the README." },
    ]);
    expect(leg.isWaiting).toBe(false);
  });
});

describe("a session whose program has ended", () => {
  it("is picked up again in a new run when the person speaks", async () => {
    const { wanting, talk, leg, agent, session, job } = await attended();
    talk.takesOver(leg, gone);
    const heard = await wanting({ kind: "message", text: "Try again." });
    const [, again] = agent.sessions;
    expect(session.isClosed).toBe(true);
    expect(again).toMatchObject({ id: "first", resumed: true });
    expect(again?.sent).toEqual([{ text: "Try again.", verbatim: false }]);
    expect(heard.leg.live.session).toBe(again);
    expect(job().sessions).toMatchObject([{ id: "first", mode: "resumed", endReason: null }]);
  });

  it("is picked up again to hand off", async () => {
    const { wanting, talk, leg, agent } = await attended();
    talk.takesOver(leg, gone);
    const heard = await wanting({ kind: "hand-off" });
    expect(heard).toMatchObject({ kind: "hand-off", trigger: "manual" });
    expect(heard.leg.live.session).toBe(agent.sessions[1]);
  });

  it("is noticed while the person is waited for, without an end to the waiting", async () => {
    const { talk, leg, session, agent, awaited, awaitedAgain, conversation } = await attended();
    const heard = talk.listen(leg);
    await awaited;
    session.play({ type: "exit", code: 1 });
    await awaitedAgain;
    expect(conversation.isAwaited).toBe(true);
    conversation.want({ kind: "message", text: "Are you there?" });
    expect(await heard).toMatchObject({ kind: "at-work" });
    expect(agent.sessions[1]).toMatchObject({ id: "first", resumed: true });
  });

  it("is replaced by a new one where it was told nothing yet", async () => {
    const played = playedJob({ isAttended: true });
    const { context, agent, events, job } = played;
    const live = await context.sessions.warm();
    context.sessions.begin(live, "continuation");
    const leg = context.newLeg(live, true);
    const first = { kind: "continuation", text: "You take over.", verbatim: true } as const;
    leg.waitForPerson(first);
    const conversation = new Conversation({
      overhear() {},
      onAwaited() {},
      onTakenUp() {},
      permit: async () => ({ answer: "no" }),
    });
    const talk = new Talk(() => context, conversation);
    talk.takesOver(leg, gone);
    conversation.want({ kind: "message", text: "Hello." });
    await talk.listen(leg);
    const [, next] = agent.sessions;
    expect(next).toMatchObject({ resumed: false });
    expect(job().sessions).toMatchObject([
      { id: "first", endReason: "failed" },
      { id: next?.id, endReason: null },
    ]);
    expect(said(events)).toEqual([
      { session: next?.id, kind: "continuation", text: "You take over." },
      { session: next?.id, kind: "said", text: "Hello." },
    ]);
    expect(next?.sent).toHaveLength(1);
  });
});
