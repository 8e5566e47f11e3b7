import { describe, expect, it } from "vitest";
import { firstLeg, only, type PlayedJob, playedJob, type Setting } from "../../../test/played-job.ts";
import { goOnPrompt } from "../../handoff/continuation.ts";
import type { LegEnd } from "./leg-end.ts";
import { Trouble } from "./retries.ts";

const HOUR = 3_600_000;
/** A clock that stands still: what is waited for is what the code says. */
const now = () => new Date("2026-01-01T00:00:00Z");

type Failure = Extract<LegEnd, { kind: "trouble" }>;
const failing: Failure = { kind: "trouble", code: "api_failing", alive: true, message: "Overloaded." };
const died: Failure = { kind: "trouble", code: "api_failing", alive: false, message: "It ended by itself." };
const limited: Extract<LegEnd, { kind: "limited" }> = { kind: "limited", message: "5-hour limit reached." };

async function inTrouble(config: NonNullable<Setting["config"]>["session"] = {}) {
  const played = playedJob({ config: { session: config }, now });
  const leg = await firstLeg(played);
  return { ...played, leg, trouble: new Trouble(played.context) };
}

const retries = ({ events }: Pick<PlayedJob, "events">) =>
  only(events, "retry").map(({ number, of, delayMs }) => ({ number, of, delayMs }));

describe("a turn that failed", () => {
  it("is tried again in its session, which is told so", async () => {
    const { leg, session, trouble, events } = await inTrouble();
    expect(await trouble.failed(leg, failing)).toEqual({ next: "go-on" });
    expect(session.isClosed).toBe(false);
    expect(session.sent.at(-1)).toEqual({ text: goOnPrompt(), verbatim: true });
    expect(only(events, "retry", "message:sent").slice(-2)).toMatchObject([
      { type: "retry", number: 1, message: "Overloaded." },
      { type: "message:sent", kind: "retry" },
    ]);
  });

  it("waits twice as long each time, and pauses the job when it was tried often enough", async () => {
    const { leg, session, trouble, events, job } = await inTrouble({ maxRetries: 2, retryBackoffMs: 2 });
    await trouble.failed(leg, failing);
    await trouble.failed(leg, failing);
    expect(await trouble.failed(leg, failing)).toEqual({
      next: "pause",
      code: "api_failing",
      message: "Overloaded. Tried again 2 times, without success.",
    });
    expect(retries({ events })).toEqual([
      { number: 1, of: 2, delayMs: 2 },
      { number: 2, of: 2, delayMs: 4 },
    ]);
    expect(session.isClosed).toBe(true);
    expect(job().sessions).toMatchObject([{ endReason: "failed" }]);
  });

  it("is counted afresh once the model has answered", async () => {
    const { leg, trouble, events } = await inTrouble({ maxRetries: 1 });
    await trouble.failed(leg, failing);
    trouble.over();
    expect(await trouble.failed(leg, failing)).toEqual({ next: "go-on" });
    expect(retries({ events }).map(({ number }) => number)).toEqual([1, 1]);
  });

  it("pauses the job at once where session.max_retries is 0", async () => {
    const { leg, trouble } = await inTrouble({ maxRetries: 0 });
    expect(await trouble.failed(leg, died)).toMatchObject({ next: "pause", message: "It ended by itself." });
  });

  it("is not tried again once the job is ended", async () => {
    const { leg, session, trouble, stop } = await inTrouble({ retryBackoffMs: HOUR });
    const after = trouble.failed(leg, failing);
    stop.abort(new Error("cancelled"));
    await expect(after).rejects.toThrow();
    expect(session.sent).toHaveLength(1);
  });
});

describe("a program that died or fell silent", () => {
  it("is ended, and its session is picked up again in another run of it", async () => {
    const { leg, session, trouble, job } = await inTrouble();
    expect(await trouble.failed(leg, died)).toEqual({ next: "take-up-again" });
    expect(session.isClosed).toBe(true);
    expect(session.sent).toHaveLength(1);
    expect(job().sessions).toMatchObject([{ endReason: null }]);
  });

  it("rests where somebody has paused it meanwhile, and is not picked up again", async () => {
    const { leg, session, trouble, events, append, job } = await inTrouble();
    append({ type: "pause:requested" });
    expect(await trouble.failed(leg, died)).toMatchObject({ next: "pause", code: "requested" });
    expect(retries({ events })).toEqual([]);
    expect(session.isClosed).toBe(true);
    expect(job().sessions).toMatchObject([{ endReason: "paused" }]);
  });
});

describe("a usage limit", () => {
  it("is waited for until it resets, and the session continues", async () => {
    const { leg, session, trouble, events, job } = await inTrouble();
    const resetsAt = now().getTime() + 5;
    expect(await trouble.limited(leg, { ...limited, resetsAt })).toEqual({ next: "go-on" });
    expect(only(events, "limit:waiting", "limit:over", "message:sent").slice(1)).toMatchObject([
      { type: "limit:waiting", until: resetsAt, message: "5-hour limit reached." },
      { type: "limit:over" },
      { type: "message:sent", kind: "retry" },
    ]);
    expect(session.sent.at(-1)?.text).toBe(goOnPrompt());
    expect(job().status).toBe("running");
  });

  it("is waited for at least as long as a failure, twice as long the second time", async () => {
    const { leg, trouble, events } = await inTrouble({ retryBackoffMs: 2 });
    await trouble.limited(leg, { ...limited, resetsAt: now().getTime() - HOUR });
    await trouble.limited(leg, limited);
    expect(only(events, "limit:waiting").map(({ until }) => until - now().getTime())).toEqual([2, 4]);
  });

  it("shows the job as waiting, and keeps it so when the job is ended meanwhile", async () => {
    const { leg, trouble, stop, job, events } = await inTrouble();
    const after = trouble.limited(leg, { ...limited, resetsAt: now().getTime() + HOUR });
    expect(job()).toMatchObject({ status: "waiting", waiting: { message: "5-hour limit reached." } });
    stop.abort(new Error("cancelled"));
    await expect(after).rejects.toThrow();
    expect(only(events, "limit:over")).toEqual([]);
  });

  it("is shared with all jobs of the account, and continues when it is the job's turn", async () => {
    const { leg, trouble, context, events } = await inTrouble({ retryBackoffMs: 1 });
    const resetsAt = now().getTime() + 2;
    const answers = [resetsAt + 4, undefined];
    const asked: number[] = [];
    const reached: unknown[] = [];
    context.limits.reached = async (limit) => void reached.push(limit);
    context.limits.turn = async (at) => {
      asked.push(at.getTime());
      return answers.shift();
    };
    await trouble.share({ ...limited, resetsAt });
    await trouble.share(limited);
    expect(reached).toMatchObject([
      { until: resetsAt, isKnown: true, message: limited.message },
      { until: now().getTime() + 1, isKnown: false },
    ]);
    expect(await trouble.limited(leg, { ...limited, resetsAt })).toEqual({ next: "go-on" });
    expect(asked).toEqual([resetsAt, resetsAt + 4]);
    expect(only(events, "limit:waiting").map(({ until }) => until)).toEqual([resetsAt]);
  });

  it("that resets in the night is waited for until the morning where session.not_after says so", async () => {
    const reset = new Date(2026, 0, 1, 3).getTime();
    const morning = new Date(2026, 0, 1, 7);
    const { leg, trouble, events, stop } = await inTrouble({ notAfter: { from: 120, to: 420 } });
    const after = trouble.limited(leg, { ...limited, resetsAt: reset });
    expect(only(events, "limit:waiting")).toMatchObject([
      {
        until: morning.getTime(),
        message: "5-hour limit reached. It continues at 07:00, by session.not_after.",
      },
    ]);
    stop.abort(new Error("cancelled"));
    await expect(after).rejects.toThrow();
  });

  it("pauses the job where session.on_limit says so, with the time of its reset", async () => {
    const { leg, session, trouble, job } = await inTrouble({ onLimit: "pause" });
    expect(await trouble.limited(leg, { ...limited, resetsAt: Date.parse("2026-01-01T05:00:00Z") })).toEqual({
      next: "pause",
      code: "usage_limit",
      message: "5-hour limit reached. It resets at 2026-01-01T05:00:00.000Z.",
    });
    expect(session.isClosed).toBe(true);
    expect(job().sessions).toMatchObject([{ endReason: "limited" }]);
  });
});
