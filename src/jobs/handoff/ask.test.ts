import { describe, expect, it } from "vitest";
import { MINUTE, pass, playClock } from "../../../test/played-clock.ts";
import { firstLeg, playedJob } from "../../../test/played-job.ts";
import {
  account,
  background,
  completed,
  idle,
  overflow,
  response,
  stopped,
  submitted,
  turnEnd,
} from "../../../test/played-session.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import { askSession, letBackgroundFinish } from "./ask.ts";

playClock();

async function aSession() {
  const played = playedJob();
  const { live } = await firstLeg(played);
  return { live, session: played.session, stop: played.stop };
}

/** A session that is being asked for its account, with a minute for it. */
async function asked() {
  const { live, session, stop } = await aSession();
  const answer = askSession(live, "Hand over.", MINUTE, stop.signal);
  return { live, session, stop, answer };
}

describe("a session that is asked for its account", () => {
  it("hands it in by Baton's tool, and is stopped there", async () => {
    const { session, answer } = await asked();
    expect(session.sent.at(-1)).toEqual({ text: "Hand over.", verbatim: true });
    expect(await session.calls("submit_handoff", submitted)).toMatch(/Received/);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(response(100_000), stopped);
    expect(await answer).toEqual({ kind: "account", account });
  });

  it.each([
    ["has answered", [completed(""), idle]],
    ["was waited for in vain", []],
  ])("is no longer heard at the tool when it %s", async (_, events) => {
    const { session, answer } = await asked();
    session.play(...events);
    await pass(MINUTE);
    await answer;
    expect(await session.calls("submit_handoff", submitted)).toMatch(/Nobody has asked/);
  });

  it("is told so, and no fault is found with it, when it hands it in after the handoff was called off", async () => {
    const { session, stop, answer } = await asked();
    stop.abort();
    await expect(answer).rejects.toThrow();
    expect(await session.calls("submit_handoff", submitted)).toMatch(/called off meanwhile/);
  });

  it("can write it in Markdown, as its last word or before it", async () => {
    const first = await asked();
    first.session.play(completed(renderAccount(account)));
    expect(await first.answer).toMatchObject({ kind: "account", account: { goal: account.goal } });

    const second = await asked();
    second.session.play({ type: "text", text: renderAccount(account) }, completed("That is all."));
    expect(await second.answer).toMatchObject({ kind: "account", account: { nextSteps: account.nextSteps } });
  });

  it("is not answered for by a subagent", async () => {
    const { session, answer } = await asked();
    session.play({ type: "text", text: renderAccount(account), subagent: "helper" }, completed("Done."));
    expect(await answer).toMatchObject({ kind: "nothing" });
  });

  it.each([
    ["says nothing", completed(" "), "the answer was empty", false],
    ["makes a remark", completed("Sure, here you go."), "the answer did not have the sections", false],
    ["is stopped", stopped, "stopped before the account was complete", false],
    ["has no room left", overflow, "no room left in the window", true],
    ["has reached a limit", turnEnd({ kind: "limited", message: "5-hour limit" }), "5-hour limit", true],
    [
      "cannot reach its model",
      turnEnd({ kind: "failed", message: "Overloaded", code: "api", retryable: true }),
      "Overloaded",
      true,
    ],
    ["ends", { type: "exit", code: 1 }, "the agent program ended before it answered", true],
  ] as const)("gives none where it %s", async (_, event, why, final) => {
    const { session, answer } = await asked();
    session.play(event);
    expect(await answer).toEqual({ kind: "nothing", why: expect.stringContaining(why), final });
  });

  it("gives none where it takes longer than it may, however busy it is", async () => {
    const { session, answer } = await asked();
    await pass(MINUTE - 1);
    session.play(response(100_000));
    await pass(1);
    expect(await answer).toEqual({ kind: "nothing", why: "the session did not answer in time", final: true });
  });

  it("is not waited for when the job is ended", async () => {
    const { answer, stop } = await asked();
    stop.abort(new Error("cancelled"));
    await expect(answer).rejects.toThrow("cancelled");
  });
});

describe("what runs in the background before a handoff", () => {
  const unseen = async () => undefined;

  it("is waited for, and a turn that follows from it too", async () => {
    const { live, session, stop } = await aSession();
    session.play(response(1_000), background("tests"), stopped, idle);
    const left = letBackgroundFinish(live, MINUTE, unseen, stop.signal);
    await pass(MINUTE / 2);
    session.play(background(), response(2_000), completed(), idle);
    expect(await left).toEqual({ tasks: [], atRest: false });
    expect(live.quiet).toBe("quiet");
  });

  it("is left as soon as it does nothing any more, and not while it works", async () => {
    const { live, session, stop } = await aSession();
    session.play(response(1_000), background("server"), stopped, idle);
    let cpuMs = 0;
    const activity = async () => ({ at: Date.now(), processes: new Map([["1", { cpuMs, output: 7 }]]) });
    let isOver = false;
    const left = letBackgroundFinish(live, MINUTE, activity, stop.signal).finally(() => {
      isOver = true;
    });
    for (let second = 0; second < 20; second++) {
      cpuMs += 900;
      await pass(1_000);
    }
    expect(isOver).toBe(false);
    await pass(7_000);
    expect(await left).toMatchObject({ tasks: [{ id: "server" }], atRest: true });
  });

  it("is told when the grace is over", async () => {
    const { live, session, stop } = await aSession();
    session.play(response(1_000), background("server", "tests"), stopped, idle);
    const left = letBackgroundFinish(live, MINUTE, unseen, stop.signal);
    await pass(MINUTE / 2);
    session.play(background("server"), idle);
    await pass(MINUTE / 2);
    expect(await left).toMatchObject({ tasks: [{ id: "server" }], atRest: false });
  });

  it("is nothing where the program has ended", async () => {
    const { live, session, stop } = await aSession();
    session.play(response(1_000), background("server"), stopped, { type: "exit", code: 0 });
    expect(await letBackgroundFinish(live, MINUTE, unseen, stop.signal)).toMatchObject({ tasks: [] });
  });

  it("holds nothing up for more than five seconds where the program does not say that it is idle", async () => {
    const { live, session, stop } = await aSession();
    session.play(response(1_000), stopped);
    let isOver = false;
    const left = letBackgroundFinish(live, MINUTE, unseen, stop.signal).finally(() => {
      isOver = true;
    });
    await pass(4_999);
    expect(isOver).toBe(false);
    await pass(1);
    expect(await left).toEqual({ tasks: [], atRest: false });
  });
});
