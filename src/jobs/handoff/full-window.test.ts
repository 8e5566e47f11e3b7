import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { firstLeg, only, type PlayedJob, playedJob } from "../../../test/played-job.ts";
import { fillsWindow, handsIn, PlayedAgent } from "../../../test/played-session.ts";
import { workOnPrompt } from "../../handoff/continuation.ts";
import type { ThresholdDecision } from "../../hooks/decision.ts";
import { JobHooks } from "../hooks/job-hooks.ts";
import { NoHookError } from "../run/control.ts";
import type { WorkTrigger } from "../run/leg-end.ts";
import { FullWindow } from "./full-window.ts";
import { Handoffs } from "./handoffs.ts";

/** What the user's hooks of on_context_threshold come to. Undefined: there are none. */
type Decide = (fullWindow: FullWindow, job: PlayedJob) => Promise<ThresholdDecision | undefined>;

/** A session whose window is full, in a job with such hooks. */
async function fullWith(decide: Decide, enabled = true) {
  const folder = await temporaryFolder();
  const played = playedJob({ folder, agent: new PlayedAgent(fillsWindow, handsIn) });
  const { config, append, job, now } = played.context;
  const asked: string[] = [];
  class Decided extends JobHooks {
    override async threshold(full: Parameters<JobHooks["threshold"]>[0]) {
      asked.push(full.trigger);
      return decide(fullWindow, played);
    }
  }
  const hooks = new Decided({ config, redact: (value) => value, env: {}, store: "", job, append, now });
  const handoff = { ...config.handoff, enabled };
  const context = { ...played.context, hooks, config: { ...config, handoff } };
  const leg = await firstLeg(played);
  await leg.run();
  const fullWindow = new FullWindow(context, new Handoffs(context));
  const handOff = (trigger: WorkTrigger = "threshold") =>
    fullWindow.handOff({ kind: "work", leg, trigger, waits: false });
  return { ...played, leg, fullWindow, handOff, asked };
}

const decided =
  (decision: ThresholdDecision): Decide =>
  async () =>
    decision;

describe("a full window", () => {
  it("is Baton's business where there are no hooks", async () => {
    const { handOff, job } = await fullWith(async () => undefined);
    expect(await handOff()).toMatchObject({ leg: {} });
    expect(job().handoffs).toMatchObject([{ source: "agent", outcome: "written" }]);
  });

  it("is no question for the hooks where the agent asked for the handoff", async () => {
    const { handOff, asked, job } = await fullWith(decided({ decision: "continue" }));
    await handOff("agent");
    expect(asked).toEqual([]);
    expect(job().handoffs).toHaveLength(1);
  });

  it.each(["continue", "handoff-done"] as const)(
    "that a person asked to hand off is Baton's business, whether hooks say %s or not",
    async (decision) => {
      const { handOff, asked, job } = await fullWith(decided({ decision }));
      await handOff("manual");
      expect(asked).toEqual(["manual"]);
      expect(job().handoffs).toMatchObject([{ source: "agent", trigger: "manual" }]);
    },
  );

  it("is a question for them where it is only about to fill", async () => {
    const { handOff, asked, job } = await fullWith(decided({ decision: "continue" }));
    await handOff("forecast");
    expect(asked).toEqual(["forecast"]);
    expect(job().handoffs).toEqual([]);
  });
});

describe("hooks that decide", () => {
  it("to continue have the session work on until its program compacts, and tell it of no handoff", async () => {
    const { handOff, leg, session, agent, job } = await fullWith(async (_, { session }) => {
      session.usage = { tokens: 0, window: 200_000, autoCompact: true, autoCompactThreshold: 167_000 };
      return { decision: "continue" };
    });
    const compacts = session.untilAsked("letCompact");
    expect(await handOff()).toMatchObject({ leg });
    await compacts;
    expect(leg.live.context.autoCompactThreshold).toBe(167_000);
    expect(session.sent.at(-1)?.text).toBe(workOnPrompt());
    expect(agent.sessions).toHaveLength(1);
    expect(job()).toMatchObject({ handoffs: [], pendingHandoff: null });
  });

  it("to continue leave it to Baton where the program cannot compact: the window would overflow", async () => {
    const { handOff, session, job, events } = await fullWith(decided({ decision: "continue" }));
    session.canCompact = false;
    await handOff();
    expect(only(events, "warning")).toMatchObject([{ message: expect.stringMatching(/cannot be told/) }]);
    expect(job().handoffs).toMatchObject([{ source: "agent" }]);
  });

  it.each<ThresholdDecision>([
    { decision: "handoff-done" },
    { decision: "built-in", fellBack: 'the hook "mine" failed: exit code 1' },
  ])("%j where handoffs are switched off have the session work on", async (decision) => {
    const { handOff, leg, session, job } = await fullWith(async () => decision, false);
    expect(await handOff()).toMatchObject({ leg });
    expect(session.sent.at(-1)?.text).toBe(workOnPrompt());
    expect(job().handoffs).toEqual([]);
  });

  it("to stop pause the job, without a document", async () => {
    const { handOff, session, job } = await fullWith(decided({ decision: "stop" }));
    expect(await handOff()).toMatchObject({ pause: { code: "hook" } });
    expect(session.isClosed).toBe(true);
    expect(job()).toMatchObject({ handoffs: [], sessions: [{ endReason: "handoff" }] });
  });

  it.each(["abort", "handoff-done"] as const)(
    "with %s take the place of the account: the next session begins from the facts",
    async (decision) => {
      const { handOff, session, agent, job, events } = await fullWith(decided({ decision }));
      expect(await handOff()).toMatchObject({ leg: {} });
      expect(only(events, "handoff:asked")).toEqual([]);
      expect(job().handoffs).toMatchObject([
        { source: "hook", outcome: "from-facts", reason: expect.stringMatching(/take the place of/) },
      ]);
      expect(session.isClosed).toBe(true);
      expect(agent.sessions[1]?.sent).toHaveLength(1);
    },
  );

  it("badly leave it to Baton, and the user hears why", async () => {
    const { handOff, job, events } = await fullWith(
      decided({ decision: "built-in", fellBack: 'the hook "mine" failed: exit code 1' }),
    );
    await handOff();
    expect(only(events, "warning")).toMatchObject([
      { message: 'Baton hands off itself: the hook "mine" failed: exit code 1' },
    ]);
    expect(job().handoffs).toMatchObject([{ source: "agent" }]);
  });

  it("nothing any more once the job is cancelled", async () => {
    const { handOff, events } = await fullWith(async (_, { stop }) => {
      stop.abort(new Error("cancelled"));
      return { decision: "continue" };
    });
    await expect(handOff()).rejects.toThrow("cancelled");
    expect(only(events, "message:sent")).toHaveLength(1);
  });
});

describe("a hook that calls `baton internal handoff`", () => {
  it("finds the handoff stored when that returns, and its session still there", async () => {
    const seen: unknown[] = [];
    const { handOff, job, agent } = await fullWith(async (fullWindow, { job, session }) => {
      await fullWindow.handOffNow();
      seen.push({ handoffs: job().handoffs.length, isClosed: session.isClosed });
      return { decision: "handoff-done" };
    });
    expect(await handOff()).toMatchObject({ leg: {} });
    expect(seen).toEqual([{ handoffs: 1, isClosed: false }]);
    expect(job().handoffs).toMatchObject([{ source: "agent", toSession: agent.sessions[1]?.id }]);
  });

  it("twice has one handoff, which the job continues from whatever is decided then", async () => {
    const { handOff, job, leg } = await fullWith(async (fullWindow) => {
      await Promise.all([fullWindow.handOffNow(), fullWindow.handOffNow()]);
      return { decision: "continue" };
    });
    const passed = await handOff();
    expect("leg" in passed && passed.leg).not.toBe(leg);
    expect(job().handoffs).toHaveLength(1);
  });

  it("is refused when no window is being decided about", async () => {
    const { fullWindow, handOff } = await fullWith(decided({ decision: "continue" }));
    await expect(fullWindow.handOffNow()).rejects.toBeInstanceOf(NoHookError);
    await handOff();
    await expect(fullWindow.handOffNow()).rejects.toBeInstanceOf(NoHookError);
  });
});
