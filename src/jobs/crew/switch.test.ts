import { describe, expect, it, vi } from "vitest";
import { configIn, only } from "../../../test/played-job.ts";
import { personWith, relayedJob } from "../../../test/played-relay.ts";
import {
  completed,
  fillsWindow,
  finishes,
  handsIn,
  idle,
  type Part,
  PlayedAgent,
  response,
  turnEnd,
} from "../../../test/played-session.ts";
import type { JournalEvent } from "../../job/events.ts";
import { jobView } from "../../job/view.ts";
import { JobInterrupted } from "../reasons.ts";
import { Control } from "../run/control.ts";
import type { Runner } from "./crew.ts";

const HOUR = 3_600_000;
const SWITCH = { onLimit: "switch", fallback: ["cheap", "other"] } as const;

const limited =
  (resetsInMs?: number): Part =>
  (session) =>
    session.play(
      response(10_000),
      turnEnd({
        kind: "limited",
        message: "Limit reached.",
        ...(resetsInMs !== undefined && { resetsAt: Date.now() + resetsInMs }),
      }),
      idle,
    );
const signedOut: Part = (session) =>
  session.play(response(10_000), turnEnd({ kind: "no-access", message: "Invalid API key" }), idle);
const fails: Part = (session) =>
  session.play(turnEnd({ kind: "failed", message: "Overloaded", code: "api", retryable: true }), idle);

const named = (name: string, ...parts: Part[]) => ({ name, agent: new PlayedAgent(...parts) });

async function switching(
  standIns: ReturnType<typeof named>[],
  session: Partial<ReturnType<typeof configIn>["session"]> = {},
) {
  const changes = { session: { ...SWITCH, fallback: standIns.map(({ name }) => name), ...session } };
  const job = await relayedJob({ config: changes });
  const runners: Runner[] = standIns.map(({ name, agent }) => ({
    config: { ...configIn(job.folder, changes), name },
    agent,
    env: { PATH: process.env.PATH ?? "", [`${name.toUpperCase()}_TOKEN`]: `secret-of-${name}-1234` },
  }));
  return { ...job, runners };
}

const switches = (events: readonly JournalEvent[]) =>
  only(events, "agent:switched").map(({ from, to, reason }) => `${from} > ${to}: ${reason}`);
const agents = (events: readonly JournalEvent[]) =>
  only(events, "session:starting").map(({ agent, mode }) => `${agent} ${mode}`);

describe("a job that switches agents", () => {
  it("continues with the next one at a limit, from facts, in the same folder", async () => {
    const cheap = named("cheap", finishes("Finished by another."));
    const { run, runners } = await switching([cheap]);
    const { job, events, agent } = await run([limited(HOUR)], { standIns: runners });
    expect(job).toMatchObject({ status: "completed", result: "Finished by another.", turns: 2 });
    expect(switches(events)).toEqual(["claude > cheap: usage_limit"]);
    expect(agents(events)).toEqual(["claude fresh", "cheap continuation"]);
    expect(job.sessions).toMatchObject([{ endReason: "limited" }, { endReason: "completed" }]);
    expect(job.handoffs).toMatchObject([{ trigger: "switch", source: "facts", outcome: "from-facts" }]);
    expect(job.handoffs[0]?.reason).toContain("usage limit");
    expect(agent.sessions).toHaveLength(1);
    expect(cheap.agent.sessions[0]?.sent[0]?.text).toContain("Write the notes.");
    expect(jobView(job)).toMatchObject({
      agent: "claude",
      runsOn: "cheap",
      sessions: [
        { agent: "claude", runtime: "claude" },
        { agent: "cheap", runtime: "claude" },
      ],
    });
    for (const each of [...agent.sessions, ...cheap.agent.sessions]) expect(each.isClosed).toBe(true);
  });

  it("has the switch on disk before the handoff begins, with when the limit is over", async () => {
    const { run, runners } = await switching([named("cheap", finishes())]);
    const { events, job } = await run([limited(HOUR)], { standIns: runners });
    const types = only(events, "agent:switched", "context:handoff:start", "handoff:stored", "session:ended");
    expect(types.map(({ type }) => type)).toEqual([
      "agent:switched",
      "context:handoff:start",
      "handoff:stored",
      "session:ended",
      "session:ended",
    ]);
    const [switched] = only(events, "agent:switched");
    expect(switched?.until).toBeGreaterThan(Date.now() + HOUR / 2);
    expect(job.out?.claude).toEqual({ until: switched?.until, times: 1 });
  });

  it("does so at a lost sign-in, and after the last retry of a failing API", async () => {
    const { run, runners } = await switching([named("cheap", fails, fails), named("other", finishes())], {
      maxRetries: 1,
    });
    const { job, events } = await run([signedOut], { standIns: runners });
    expect(job.status).toBe("completed");
    expect(switches(events)).toEqual(["claude > cheap: no_access", "cheap > other: api_failing"]);
    expect(job.out).toMatchObject({ claude: { until: null }, cheap: { times: 1 } });
    expect(only(events, "retry")).toHaveLength(1);
  });

  it("returns to the first one at a handoff after the reset, with the account of who stood in", async () => {
    const cheap = named("cheap", fillsWindow, handsIn);
    const { run, runners } = await switching([cheap], { retryBackoffMs: 1 });
    const { job, events, agent } = await run([limited(2), finishes("Mine again.")], { standIns: runners });
    expect(job).toMatchObject({ status: "completed", result: "Mine again." });
    expect(switches(events)).toEqual(["claude > cheap: usage_limit", "cheap > claude: reset"]);
    expect(agents(events)).toEqual(["claude fresh", "cheap continuation", "claude continuation"]);
    expect(job.handoffs).toMatchObject([
      { trigger: "switch", source: "facts" },
      { trigger: "threshold", source: "agent", outcome: "written" },
    ]);
    expect(agent.sessions.at(-1)?.sent[0]?.text).toContain("One line of two is there.");
    expect(jobView(job)).toMatchObject({ agent: "claude", runsOn: "claude" });
  });

  it.each([
    ["the limit lasts", HOUR, {}],
    ["that is not wanted", 2, { switchBack: false }],
  ])("stays with who stands in where %s", async (_why, resetsInMs, session) => {
    const cheap = named("cheap", fillsWindow, handsIn, finishes());
    const { run, runners } = await switching([cheap], session);
    const { job, events } = await run([limited(resetsInMs)], { standIns: runners });
    expect(job.status).toBe("completed");
    expect(switches(events)).toEqual(["claude > cheap: usage_limit"]);
  });

  it("waits where all are limited, for who can work first, and does not switch to and fro", async () => {
    const cheap = named("cheap", limited(300), finishes("After the wait."));
    const { run, runners } = await switching([cheap]);
    const { job, events } = await run([limited(HOUR)], { standIns: runners });
    expect(job.result).toBe("After the wait.");
    expect(switches(events)).toEqual(["claude > cheap: usage_limit"]);
    expect(only(events, "limit:waiting", "limit:over")).toHaveLength(2);

    // By a clock that stands still: what the first agent waits for is not over when the second is limited.
    const standing = new Date();
    const now = () => standing;
    const late = await switching([named("cheap", limited(HOUR))]);
    const back = await late.run([limited(300), finishes("Mine again.")], { standIns: late.runners, now });
    expect(back.job.result).toBe("Mine again.");
    expect(switches(back.events)).toEqual(["claude > cheap: usage_limit", "cheap > claude: usage_limit"]);
    expect(only(back.events, "limit:waiting").map(({ message }) => message)).toEqual([
      "Limit reached. Then claude takes over.",
    ]);
  });

  it("is not out of handoffs, nor thrashing, by what limits force on it", async () => {
    const { run, runners } = await switching([named("cheap", limited(HOUR)), named("other", finishes())], {
      maxHandoffsPerJob: 0,
    });
    const { job, events } = await run([limited(HOUR)], { standIns: runners });
    expect(job.status).toBe("completed");
    expect(switches(events)).toEqual(["claude > cheap: usage_limit", "cheap > other: usage_limit"]);
    expect(job.handoffs).toHaveLength(2);
  });

  it("has the next program ready when a limit is near, and ends it where it was not needed", async () => {
    const near: Part = async (session) => {
      session.play(response(10_000), { type: "limit", state: "near" });
      await vi.waitUntil(() => cheap.agent.sessions.length === 1);
      session.play({ type: "limit", state: "near" }, ...end, idle);
    };
    let end = [turnEnd({ kind: "limited", message: "Limit reached.", resetsAt: Date.now() + HOUR })];
    let cheap = named("cheap", finishes());
    const used = await switching([cheap]);
    expect((await used.run([near], { standIns: used.runners })).job.status).toBe("completed");
    expect(cheap.agent.sessions.map(({ sent, isClosed }) => [sent.length, isClosed])).toEqual([[1, true]]);

    end = [completed()];
    cheap = named("cheap");
    const spared = await switching([cheap]);
    const { job } = await spared.run([near], { standIns: spared.runners });
    expect(job).toMatchObject({ status: "completed", sessions: [{ agent: "claude" }] });
    expect(cheap.agent.sessions.map(({ sent, isClosed }) => [sent.length, isClosed])).toEqual([[0, true]]);
  });

  it("goes on by itself also where a person takes part, who ends it with whoever has it then", async () => {
    const cheap = named("cheap", finishes("Finished by another."));
    const { run, runners } = await switching([cheap]);
    const conversation = personWith({ kind: "end" });
    const { job, events } = await run([limited(HOUR)], { standIns: runners, conversation });
    expect(job).toMatchObject({ status: "completed", result: "Finished by another." });
    expect(switches(events)).toEqual(["claude > cheap: usage_limit"]);
    expect(only(events, "person:awaited")).toHaveLength(1);
  });

  it("holds its limits over all of them", async () => {
    const changes = { session: { ...SWITCH, fallback: ["cheap"] }, limits: { turns: 2 } };
    const job = await relayedJob({ config: changes });
    const two: Part = async (session) => {
      session.play(response(10_000));
      await session.untilAsked("stopAtBoundary");
      session.play(turnEnd({ kind: "stopped" }), idle);
    };
    const cheap = new PlayedAgent(two);
    const config = { ...configIn(job.folder, changes), name: "cheap" };
    const { job: ended } = await job.run([limited(HOUR)], { standIns: [{ config, agent: cheap, env: {} }] });
    expect(ended).toMatchObject({ status: "paused", pauseCode: "limit_reached", turns: 2 });
  });

  it("keeps the secrets of all of them out of its record", async () => {
    const cheap = named("cheap", finishes("I use secret-of-cheap-1234."));
    const { run, runners } = await switching([cheap]);
    const { job } = await run([limited(HOUR)], { standIns: runners });
    expect(job.result).toBe("I use [redacted: cheap.CHEAP_TOKEN].");
  });

  it("fails as ever where nobody else can work", async () => {
    const out = await switching([named("cheap", signedOut)]);
    const { job } = await out.run([signedOut], { standIns: out.runners });
    expect(job).toMatchObject({ status: "failed", error: "Invalid API key" });
  });
});

describe("a job that a person hands to another agent", () => {
  const joining =
    (folder: string, agent: PlayedAgent) =>
    async (name: string): Promise<Runner> => {
      if (name !== "reviewer") throw new Error(`there is no agent named "${name}"`);
      return { config: { ...configIn(folder), name }, agent, env: {} };
    };

  it("goes to it at the next boundary, with an account, and stays there", async () => {
    const { run, folder } = await relayedJob();
    const reviewer = new PlayedAgent(finishes("Reviewed."));
    const control = new Control();
    const works: Part = async (session) => {
      session.play(response(20_000), response(21_000), response(22_000), response(23_000));
      await session.untilAsked("stopAtBoundary");
      session.play(turnEnd({ kind: "stopped" }), idle);
    };
    let asked = 0;
    const { job, events } = await run([works, handsIn], {
      control,
      join: joining(folder, reviewer),
      on: (event) => {
        if (event.type === "response" && ++asked === 3) void control.handOff("the tests", "reviewer");
      },
    });
    expect(job.result).toBe("Reviewed.");
    expect(switches(events)).toEqual(["claude > reviewer: manual"]);
    expect(job.handoffs).toMatchObject([{ trigger: "manual", source: "agent" }]);
    expect(only(events, "handoff:requested")).toMatchObject([{ focus: "the tests", to: "reviewer" }]);
  });

  it.each(["session:starting", "message:sent"] as const)(
    "goes to it as soon as there is something, where it was asked for at %s",
    async (moment) => {
      const { run, folder } = await relayedJob();
      const control = new Control();
      const works: Part = async (session) => {
        await session.untilAsked("stopAtBoundary");
        session.play(response(20_000), turnEnd({ kind: "stopped" }), idle);
      };
      let hasAsked = false;
      const { job, events } = await run([works, handsIn], {
        control,
        join: joining(folder, new PlayedAgent(finishes("Reviewed."))),
        on: ({ type }) => {
          if (type === moment && !hasAsked) void control.handOff(undefined, "reviewer");
          hasAsked ||= type === moment;
        },
      });
      expect(job.result).toBe("Reviewed.");
      expect(switches(events)).toEqual(["claude > reviewer: manual"]);
      expect(only(events, "handoff:refused")).toEqual([]);
    },
  );

  it("goes to it right after a handoff, and though the job may make no more of them", async () => {
    const { run, folder } = await relayedJob({ config: { session: { maxHandoffsPerJob: 1 } } });
    const control = new Control();
    const works: Part = async (session) => {
      session.play(response(20_000));
      await session.untilAsked("stopAtBoundary");
      session.play(turnEnd({ kind: "stopped" }), idle);
    };
    let told = 0;
    const { job, events } = await run([fillsWindow, handsIn, works, handsIn], {
      control,
      join: joining(folder, new PlayedAgent(finishes("Reviewed."))),
      on: ({ type }) => {
        if (type === "message:sent" && ++told === 2) void control.handOff(undefined, "reviewer");
      },
    });
    expect(job.result).toBe("Reviewed.");
    expect(switches(events)).toEqual(["claude > reviewer: manual"]);
  });

  it("is refused one that is not there, or has it, and works on", async () => {
    const { run, folder } = await relayedJob();
    const control = new Control();
    const { job, events } = await run(
      [
        async (session) => {
          session.play(response(20_000));
          await control.handOff(undefined, "nobody");
          await control.handOff(undefined, "claude");
          session.play(turnEnd({ kind: "completed", text: "Done." }), idle);
        },
      ],
      { control, join: joining(folder, new PlayedAgent()) },
    );
    expect(job.result).toBe("Done.");
    expect(only(events, "handoff:refused").map(({ message }) => message)).toEqual([
      'there is no agent named "nobody"',
      "claude runs the job already",
    ]);
  });

  it("goes to it at once while a limit is waited for", async () => {
    const { run, folder } = await relayedJob();
    const control = new Control();
    const { job, events } = await run([limited(HOUR)], {
      control,
      join: joining(folder, new PlayedAgent(finishes("Reviewed."))),
      on: (event) => {
        if (event.type === "limit:waiting") void control.handOff(undefined, "reviewer");
      },
    });
    expect(job.result).toBe("Reviewed.");
    expect(switches(events)).toEqual(["claude > reviewer: manual"]);
  });
});

describe("a job whose process died while it switched", () => {
  const dies = new JobInterrupted("killed");
  const MOMENTS = ["agent:switched", "context:handoff:start", "handoff:stored", "session:starting"] as const;

  it.each(MOMENTS)("continues with the right agent after %s", async (moment) => {
    const cheap = named("cheap", finishes("Finished."), finishes("Finished."));
    const { run, runners, id } = await switching([cheap]);
    let isSwitched = false;
    const cut = await run([limited(HOUR)], {
      standIns: runners,
      on: (event, { stop }) => {
        isSwitched ||= event.type === "agent:switched";
        if (isSwitched && event.type === moment) stop.abort(dies);
      },
    });
    expect(cut.job.status).toBe("interrupted");
    const again = await run([], { standIns: runners });
    expect(again.job).toMatchObject({ id, status: "completed", result: "Finished." });
    expect(switches([...cut.events, ...again.events])).toEqual(["claude > cheap: usage_limit"]);
    expect(again.agent.sessions).toEqual([]);
    expect(only(again.events, "session:starting").every(({ agent }) => agent === "cheap")).toBe(true);
  });

  it("continues with its own agent where the other is no longer configured", async () => {
    const cheap = named("cheap");
    const { run, runners } = await switching([cheap]);
    await run([limited(HOUR)], {
      standIns: runners,
      on: (event, { stop }) => {
        if (event.type === "handoff:stored") stop.abort(dies);
      },
    });
    const { job, events } = await run([finishes("Mine.")]);
    expect(job.result).toBe("Mine.");
    expect(switches(events)).toEqual(["cheap > claude: not_configured"]);
  });
});
