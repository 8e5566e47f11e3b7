import { describe, expect, it } from "vitest";
import { shellHook } from "../../../test/hooks.ts";
import { MINUTE, pass, playClock } from "../../../test/played-clock.ts";
import { firstLeg, only, playedJob } from "../../../test/played-job.ts";
import { atWork, heard, running } from "../../../test/played-leg.ts";
import {
  background,
  completed,
  idle,
  overflow,
  response,
  stopped,
  toolEnd,
  toolStart,
  turnEnd,
} from "../../../test/played-session.ts";
import { JobCancelled } from "../reasons.ts";

playClock();

describe("the work of a session", () => {
  it("is complete when the agent says so and nothing of it runs any more", async () => {
    const { leg, session } = await atWork();
    const { run, seen } = await running(leg);
    session.play(response(10_000), completed("All is done."));
    await heard();
    expect(seen.end).toBeUndefined();
    session.play(idle);
    expect(await run).toEqual({ kind: "completed", text: "All is done." });
    expect(leg.responded).toBe(true);
  });

  it("is not complete where another turn follows by itself", async () => {
    const { leg, session } = await atWork();
    session.play(
      response(10_000),
      completed("Waiting."),
      response(11_000),
      completed("Now it is done."),
      idle,
    );
    expect(await leg.run()).toEqual({ kind: "completed", text: "Now it is done." });
  });

  it("is complete five seconds after its last word where the program says no more", async () => {
    const { leg, session } = await atWork();
    session.play(response(10_000), completed());
    const { run, seen } = await running(leg);
    await pass(4_999);
    expect(seen.end).toBeUndefined();
    await pass(1);
    expect(await run).toEqual({ kind: "completed", text: "Done." });
  });

  it("has not been answered for as long as only a subagent has spoken", async () => {
    const { leg, session } = await atWork();
    session.play(response(10_000, "helper"), overflow);
    await leg.run();
    expect(leg.responded).toBe(false);
  });

  it.each([
    [overflow, { kind: "overflow", message: "Prompt is too long" }],
    [
      turnEnd({ kind: "limited", message: "5-hour limit", resetsAt: 7 }),
      { kind: "limited", message: "5-hour limit", resetsAt: 7 },
    ],
    [
      turnEnd({ kind: "max-turns", message: "50 turns" }),
      { kind: "paused", code: "max_turns", message: "50 turns" },
    ],
    [
      turnEnd({ kind: "failed", message: "Invalid API key", code: "auth", retryable: false }),
      { kind: "failed", message: "Invalid API key" },
    ],
    [
      turnEnd({ kind: "failed", message: "Overloaded", code: "api", retryable: true }),
      { kind: "trouble", code: "api_failing", alive: true, message: "Overloaded" },
    ],
    [
      turnEnd({ kind: "interrupted" }),
      { kind: "trouble", code: "api_failing", alive: true, message: "The turn was stopped." },
    ],
    [
      { type: "exit", signal: "SIGSEGV", message: "out of memory" },
      {
        kind: "trouble",
        code: "api_failing",
        alive: false,
        message: "The agent program ended by itself (signal SIGSEGV: out of memory).",
      },
    ],
  ] as const)("ends for what ended its turn: %j", async (event, end) => {
    const { leg, session } = await atWork();
    session.play(response(10_000), event);
    expect(await leg.run()).toEqual(end);
  });

  it("breaks off with the reason for which the job is ended", async () => {
    const { leg, stop } = await atWork();
    const { run } = await running(leg);
    stop.abort(new JobCancelled("by the user"));
    await expect(run).rejects.toThrow("by the user");
  });

  it("counts as stalled when nothing is heard for session.stall_timeout, from the last sign of life on", async () => {
    const { leg, session } = await atWork({ config: { session: { stallTimeoutMs: 10 * MINUTE } } });
    const { run, seen } = await running(leg);
    await pass(9 * MINUTE);
    session.play({ type: "activity" });
    await pass(9 * MINUTE);
    expect(seen.end).toBeUndefined();
    await pass(MINUTE);
    expect(await run).toMatchObject({
      kind: "trouble",
      code: "stalled",
      alive: false,
      message: expect.stringMatching(/no sign of life for 10 min.*stall_timeout/),
    });
  });
});

describe("what runs in the background when the work is done", () => {
  const grace = { session: { backgroundGraceMs: 2 * MINUTE } };

  it("is waited for", async () => {
    const { leg, session, events } = await atWork({ config: grace });
    session.play(response(10_000), background("tests"), completed(), idle);
    const { run, seen } = await running(leg);
    await pass(MINUTE);
    expect(seen.end).toBeUndefined();
    session.play(background(), idle);
    expect(await run).toEqual({ kind: "completed", text: "Done." });
    expect(only(events, "background:left")).toEqual([]);
  });

  it("is left after session.background_grace, and that is on record", async () => {
    const { leg, session, events } = await atWork({ config: grace });
    session.play(response(10_000), background("server"), completed(), idle);
    const { run, seen } = await running(leg);
    await pass(2 * MINUTE - 1);
    expect(seen.end).toBeUndefined();
    await pass(1);
    expect(await run).toEqual({ kind: "completed", text: "Done." });
    expect(only(events, "background:left")).toMatchObject([{ session: "first", tasks: [{ id: "server" }] }]);
  });

  it("is left as soon as it does nothing any more, and that is on record", async () => {
    const activity = async () => ({ at: Date.now(), processes: new Map([["1", { cpuMs: 5, output: 7 }]]) });
    const { leg, session, events } = await atWork({ config: grace, activity });
    session.play(response(10_000), background("server"), completed(), idle);
    const { run, seen } = await running(leg);
    await pass(4_000);
    expect(seen.end).toBeUndefined();
    await pass(3_000);
    expect(await run).toEqual({ kind: "completed", text: "Done." });
    expect(only(events, "background:left")).toMatchObject([{ tasks: [{ id: "server" }], atRest: true }]);
  });

  it("does not keep a person waiting", async () => {
    const { leg, session } = await atWork({ config: grace, isAttended: true });
    session.play(response(10_000), background("server"), completed(), idle);
    expect(await leg.run()).toEqual({ kind: "completed", text: "Done." });
  });
});

describe("a window that fills", () => {
  it("makes the session stop at its next boundary, and hand off there", async () => {
    const { leg, session } = await atWork();
    const { run, seen } = await running(leg);
    session.play(response(99_999), toolStart("a"), toolEnd("a"));
    await heard();
    expect(session.asked).toEqual([]);
    session.play(response(100_000), toolStart("b"));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary"]);
    expect(seen.end).toBeUndefined();
    session.play(toolEnd("b"), stopped);
    expect(await run).toMatchObject({ kind: "hand-off", trigger: "threshold" });
  });

  it("makes it hand off earlier where its next turn might not fit", async () => {
    const { leg, session } = await atWork({
      config: { session: { threshold: { kind: "tokens", tokens: 190_000 } } },
    });
    const { run } = await running(leg);
    session.play(response(100_000), response(150_000), stopped);
    expect(await run).toMatchObject({ kind: "hand-off", trigger: "forecast" });
  });

  it("is not a subagent's", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    session.play(response(10_000), response(180_000, "helper"));
    await heard();
    expect(session.asked).toEqual([]);
  });

  it("is left to the agent where handoff.enabled is false, and warned of all the same", async () => {
    const { leg, session, events } = await atWork({
      config: { handoff: { enabled: false, notifyUserAt: [50, 60] } },
    });
    await running(leg);
    session.play(response(101_000), response(180_000), toolStart("a"));
    await heard();
    expect(session.asked).toEqual([]);
    expect(only(events, "context:warning")).toMatchObject([{ level: 50 }, { level: 60 }]);
  });

  it("is the business of the user's hooks even where handoff.enabled is false", async () => {
    const onContextThreshold = [shellHook("true")];
    const { leg, session } = await atWork({
      config: { handoff: { enabled: false }, hooks: { onContextThreshold } },
    });
    await running(leg);
    session.play(response(180_000));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary"]);
  });

  it("again after a compaction is asked about again, however full it was when the session was spared", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    session.play(response(190_000), toolStart("a"));
    await heard();
    leg.callOff();
    session.play(toolEnd("a"), { type: "compaction:end", ok: true, before: 190_000, after: 20_000 });
    session.play(response(30_000), response(100_000));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary", "goOn", "stopAtBoundary"]);
  });

  it("is warned of once a level, with the turns that are left", async () => {
    const { leg, session, events } = await atWork({
      config: {
        session: { threshold: { kind: "tokens", tokens: 190_000 } },
        handoff: { notifyUserAt: [50, 60] },
      },
    });
    await running(leg);
    session.play(response(91_000), response(101_000), response(105_000), toolStart("a"), response(121_000));
    await heard();
    expect(only(events, "context:warning")).toMatchObject([
      { level: 50, turnsLeft: 9, context: { tokens: 101_000, percent: 50.5 } },
      { level: 60, context: { tokens: 121_000 } },
    ]);
  });

  it("is not warned of where the work is over with the response", async () => {
    const { leg, session, events } = await atWork({ config: { handoff: { notifyUserAt: [50] } } });
    const { run } = await running(leg);
    session.play(response(101_000), completed("All is done."), idle);
    expect(await run).toEqual({ kind: "completed", text: "All is done." });
    expect(only(events, "context:warning")).toEqual([]);
  });

  it("pauses the job where a session that took over is half full after its first answer", async () => {
    const played = playedJob();
    const leg = played.context.newLeg((await firstLeg(played)).live, true);
    played.session.play(response(50_001), stopped);
    expect(await leg.run()).toMatchObject({
      kind: "paused",
      code: "thrash",
      message: expect.stringMatching(/more than half of the 100,000/),
    });
  });

  it("does not make the first session of a job a thrashing one", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    session.play(response(50_001));
    await heard();
    expect(session.asked).toEqual([]);
  });
});

describe("a session that was asked to stop", () => {
  it("is interrupted when it comes to no boundary for a minute", async () => {
    const { leg, session } = await atWork();
    const { run } = await running(leg);
    session.play(response(100_000));
    await pass(MINUTE - 1);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    await pass(1);
    expect(session.asked).toEqual(["stopAtBoundary", "interrupt"]);
    session.play(turnEnd({ kind: "interrupted" }));
    expect(await run).toMatchObject({ kind: "hand-off", trigger: "threshold" });
  });

  it("is left alone for as long as its tool runs", async () => {
    const { leg, session } = await atWork();
    const { run } = await running(leg);
    session.play(response(100_000), toolStart("build"));
    await pass(10 * MINUTE);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(toolEnd("build"), stopped);
    expect(await run).toMatchObject({ kind: "hand-off" });
  });

  it("is complete all the same where that was its last turn, and knows what it was to stop for", async () => {
    const { leg, session } = await atWork({ isAttended: true });
    session.play(response(100_000), completed(), idle);
    expect(await leg.run()).toMatchObject({ kind: "completed" });
    expect(leg.handoffDue).toMatchObject({ trigger: "threshold" });
    expect(leg.limitDue).toBeUndefined();
    leg.settle();
    expect(leg.handoffDue).toBeUndefined();
  });

  it("is asked afresh when its work goes on without a person", async () => {
    const { leg, session } = await atWork();
    session.play(response(100_000), turnEnd({ kind: "failed", message: "m", code: "api", retryable: true }));
    await leg.run();
    session.send({ text: "Go on.", verbatim: true });
    const { run } = await running(leg);
    session.play(response(101_000));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(stopped);
    expect(await run).toMatchObject({ kind: "hand-off" });
  });
});

describe("a limit of the user's", () => {
  it("on turns stops the session at its next boundary and pauses the job", async () => {
    const { leg, session } = await atWork({ config: { limits: { turns: 2 } } });
    const { run } = await running(leg);
    session.play(response(10_000), toolStart("a"), toolEnd("a"));
    await heard();
    expect(session.asked).toEqual([]);
    session.play(response(11_000), toolStart("b"));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(toolEnd("b"), stopped);
    expect(await run).toMatchObject({
      kind: "paused",
      code: "limit_reached",
      message: expect.stringContaining("limits.turns is 2"),
    });
    expect(leg.limitDue).toMatchObject({ code: "limit_reached" });
  });

  it("on cost is seen during a turn", async () => {
    const { leg, session, events } = await atWork({ config: { limits: { costUsd: 1 } } });
    const { run } = await running(leg);
    session.costUsd = 1.25;
    session.play(response(10_000));
    await heard();
    expect(only(events, "cost")).toMatchObject([{ costUsd: 1.25 }]);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(stopped);
    expect(await run).toMatchObject({ code: "limit_reached", message: expect.stringContaining("$1.25") });
  });

  it("on cost holds on the estimate, where the program tells nothing before the end of its turn", async () => {
    const { leg, session } = await atWork({ config: { limits: { costUsd: 1 } } });
    const { run } = await running(leg);
    session.play({ ...response(10_000), costUsd: 0.6 }, toolStart("a"), toolEnd("a"));
    await heard();
    expect(session.asked).toEqual([]);
    session.play({ ...response(11_000), costUsd: 0.6 }, toolStart("b"));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(toolEnd("b"), stopped);
    expect(await run).toMatchObject({
      code: "limit_reached",
      message: expect.stringContaining("an estimated $1.20"),
    });
  });

  it("on cost ends the work where nobody could count what an answer has cost", async () => {
    const { usage: _tokens, ...untold } = response(10_000);
    const cases = [
      [untold, "did not say how many tokens"],
      [response(10_000), "What claude-sonnet-4-5 costs is not known"],
    ] as const;
    for (const [answer, message] of cases) {
      const { leg, session } = await atWork({ config: { runtime: "codex", limits: { costUsd: 1 } } });
      const { run } = await running(leg);
      session.play(answer, toolStart("a"));
      await heard();
      expect(session.asked).toEqual(["stopAtBoundary"]);
      session.play(toolEnd("a"), stopped);
      expect(await run).toMatchObject({ code: "limit_reached", message: expect.stringContaining(message) });
    }
  });

  it("on cost ends the work at once when a subagent reaches it, which would go on after the boundary", async () => {
    const { leg, session } = await atWork({ config: { limits: { costUsd: 1 } } });
    const { run } = await running(leg);
    session.play({ ...response(10_000), costUsd: 0.6 }, toolStart("task"));
    session.play({ ...response(500_000), costUsd: 0.6, subagent: "x" });
    expect(await run).toMatchObject({ kind: "paused", code: "limit_reached" });
  });

  it("on time is seen while nothing happens", async () => {
    const { leg, session } = await atWork({ config: { limits: { durationMs: 5 * MINUTE } } });
    const { run } = await running(leg);
    session.play(response(10_000), toolStart("sleep"));
    await pass(5 * MINUTE - 1);
    expect(session.asked).toEqual([]);
    await pass(1);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(toolEnd("sleep"), stopped);
    expect(await run).toMatchObject({
      code: "limit_reached",
      message: expect.stringContaining("limits.duration"),
    });
  });

  it("comes before a handoff that is due at the same moment", async () => {
    const { leg, session } = await atWork({ config: { limits: { turns: 1 } } });
    session.play(response(150_000), stopped);
    expect(await leg.run()).toMatchObject({ kind: "paused", code: "limit_reached" });
  });
});

describe("a handoff that somebody asks for", () => {
  it("is refused while there is nothing to hand off, and happens at the next boundary then", async () => {
    const { leg, session, events } = await atWork();
    const { run } = await running(leg);
    expect(leg.requestHandoff("manual")).toEqual({ ok: false, text: "Nothing to hand off yet" });
    session.play(response(10_000), toolStart("a"));
    await heard();
    expect(leg.requestHandoff("manual", { focus: "the tests" })).toMatchObject({ ok: true });
    expect(leg.requestHandoff("manual")).toMatchObject({
      ok: false,
      text: "The session is stopping already",
    });
    expect(only(events, "handoff:requested")).toEqual([
      { type: "handoff:requested", session: "first", by: "manual", focus: "the tests" },
    ]);
    expect(session.asked).toEqual(["stopAtBoundary"]);
    session.play(toolEnd("a"), stopped);
    expect(await run).toMatchObject({ kind: "hand-off", trigger: "manual", focus: "the tests" });
  });

  it("can come from the agent before its own answer was heard", async () => {
    const { leg } = await atWork();
    await running(leg);
    expect(leg.requestHandoff("agent", { focus: "A large step comes." })).toMatchObject({ ok: true });
  });

  it("is refused when the work is done and nobody is there to say more", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    session.play(response(10_000), completed());
    await heard();
    expect(leg.requestHandoff("manual")).toMatchObject({ ok: false, text: expect.stringMatching(/is done/) });
  });

  it("is granted again when the work that was done goes on by itself", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    session.play(response(10_000), completed(), response(11_000), toolStart("a"));
    await heard();
    expect(leg.requestHandoff("manual")).toMatchObject({ ok: true });
  });

  it("can be called off until it begins, and then waits for another twentieth of the window", async () => {
    const { leg, session } = await atWork();
    await running(leg);
    expect(leg.callOff()).toBe(false);
    session.play(response(100_000), toolStart("a"));
    await heard();
    expect(leg.callOff()).toBe(true);
    expect(session.asked).toEqual(["stopAtBoundary", "goOn"]);
    session.play(toolEnd("a"), response(109_999));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary", "goOn"]);
    session.play(response(110_000));
    await heard();
    expect(session.asked).toEqual(["stopAtBoundary", "goOn", "stopAtBoundary"]);
  });
});

describe("a turn that a person breaks off", () => {
  it("is interrupted, and is not one that failed", async () => {
    const { leg, session } = await atWork({ isAttended: true });
    expect(leg.breakOff()).toBe(false);
    const { run } = await running(leg);
    session.play(response(10_000), toolStart("a"));
    await heard();
    expect(leg.breakOff()).toBe(true);
    expect(session.asked).toEqual(["interrupt"]);
    session.play(turnEnd({ kind: "interrupted" }));
    await run;
    expect(leg.isBrokenOff).toBe(true);
  });

  it("is over before the next step when that is waited for", async () => {
    const { leg, session } = await atWork();
    session.play(response(10_000), toolStart("a"));
    const interrupted = leg.interrupt();
    await heard();
    expect(session.asked).toEqual(["interrupt"]);
    expect(leg.live.quiet).toBe("busy");
    session.play(turnEnd({ kind: "interrupted" }));
    await interrupted;
    expect(leg.live.quiet).toBe("settling");
  });
});
