import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { firstLeg, only, type PlayedJob, playedJob } from "../../../test/played-job.ts";
import { fillsWindow, handsIn, PlayedAgent } from "../../../test/played-session.ts";
import { calledOffPrompt } from "../../handoff/continuation.ts";
import type { ThresholdDecision } from "../../hooks/decision.ts";
import { NoHookError } from "../run/control.ts";
import { JobHooks } from "../run/job-hooks.ts";
import type { WorkTrigger } from "../run/leg-end.ts";
import { FullWindow } from "./full-window.ts";
import { Handoffs } from "./handoffs.ts";

/** What the user's hooks of on_context_threshold come to. Undefined: there are none. */
type Decide = (fullWindow: FullWindow, job: PlayedJob) => Promise<ThresholdDecision | undefined>;

/** A session whose window is full, in a job with such hooks. */
async function fullWith(decide: Decide) {
  const folder = await temporaryFolder();
  const played = playedJob({ folder, agent: new PlayedAgent(fillsWindow, handsIn) });
  const { config, append, job, now } = played.context;
  let asked = 0;
  class Decided extends JobHooks {
    override async threshold() {
      asked++;
      return decide(fullWindow, played);
    }
  }
  const hooks = new Decided({ config, redact: (value) => value, env: {}, store: "", job, append, now });
  const context = { ...played.context, hooks };
  const leg = await firstLeg(played);
  await leg.run();
  const fullWindow = new FullWindow(context, new Handoffs(context));
  const handOff = (trigger: WorkTrigger = "threshold") =>
    fullWindow.handOff({ kind: "work", leg, trigger, waits: false });
  return { ...played, leg, fullWindow, handOff, timesAsked: () => asked };
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

  it("is no question for the hooks where a person or the agent asked for the handoff", async () => {
    const { handOff, timesAsked, job } = await fullWith(decided({ decision: "continue" }));
    await handOff("manual");
    expect(timesAsked()).toBe(0);
    expect(job().handoffs).toHaveLength(1);
  });

  it("is a question for them where it is only about to fill", async () => {
    const { handOff, timesAsked, job } = await fullWith(decided({ decision: "continue" }));
    await handOff("forecast");
    expect(timesAsked()).toBe(1);
    expect(job().handoffs).toEqual([]);
  });
});

describe("hooks that decide", () => {
  it("to continue have the session work on", async () => {
    const { handOff, leg, session, agent, job } = await fullWith(decided({ decision: "continue" }));
    expect(await handOff()).toEqual({ leg });
    expect(session.sent.at(-1)?.text).toBe(calledOffPrompt());
    expect(agent.sessions).toHaveLength(1);
    expect(job()).toMatchObject({ handoffs: [], pendingHandoff: null });
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
