import { describe, expect, it } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { hookInput } from "../../agents/claude/own/hook-input.ts";
import { models } from "../../agents/claude/own/window.ts";
import { initialContext, track } from "../../context/tracker.ts";
import { newSession, type OwnSession } from "../record/session.ts";
import type { Figured } from "../watch/figure.ts";
import { hookDecision, type Moment } from "./decision.ts";
import { answerOf } from "./texts.ts";

const TAG = "bcdfghjkmnpq";
const session: OwnSession = newSession({
  id: "s1",
  cwd: "/project",
  project: "/project",
  transcript: "/t.jsonl",
  startedAt: "2026-01-01T00:00:00.000Z",
});

/** A session whose window of 200,000 holds this much, after two answers. */
function holding(tokens: number): Figured {
  const context = [tokens - 2_000, tokens].reduce(
    (state, input, index) =>
      track(
        state,
        {
          type: "response",
          id: `m${index}`,
          model: "claude-sonnet-4-5",
          usage: { input, output: 0, cacheRead: 0, cacheWrite: 0 },
        },
        models,
      ),
    initialContext({}),
  );
  const window = 200_000;
  return {
    reading: { path: "/t.jsonl", inode: 1, offset: 1, context },
    figure: { tokens, window, percent: tokens / 2_000, turns: 2, turnsLeft: 7, source: "transcript" },
  };
}

function moment(tokens: number, changes: Partial<Moment["settings"]> = {}): Moment {
  return {
    now: "2026-01-01T01:00:00.000Z",
    figured: holding(tokens),
    compactsAt: 167_000,
    refusesAt: undefined,
    settings: {
      enabled: true,
      attended: true,
      threshold: { kind: "used", percent: 70 },
      orchestratorThreshold: { kind: "tokens", tokens: 100_000 },
      warnAt: [50, 60],
      handoffDir: "/project/.baton/handoffs",
      stamp: "",
      ...changes,
    },
  };
}

function at(
  event: "UserPromptSubmit" | "PostToolUse" | "Stop" | "SessionEnd" | "PreCompact",
  more: object = {},
) {
  const input = hookInput(event, JSON.stringify({ session_id: "s1", cwd: "/project", ...more }));
  if (!input || input.event === "start") throw new Error("no such hook");
  return input;
}

describe("a hook", () => {
  it("keeps the figure and the time at which the session was last seen", () => {
    const { record, sayings } = hookDecision(at("PostToolUse"), session, moment(40_000));
    expect(record).toMatchObject({ figure: { tokens: 40_000 }, seenAt: "2026-01-01T01:00:00.000Z" });
    expect(sayings).toEqual([]);
  });

  it("says each warning level once, the highest that is reached, and when the handoff comes", () => {
    const first = hookDecision(at("PostToolUse"), session, moment(102_000));
    expect(answerOf(first.sayings, first.record.figure, TAG)).toEqual({
      toPerson:
        "51% of the context window is used, and at this pace it is full in 7 turns. At 70% Baton hands the work over to a fresh session.",
    });
    const again = hookDecision(at("Stop"), first.record, moment(104_000));
    expect(again.sayings).toEqual([]);
    const higher = hookDecision(at("Stop"), again.record, moment(124_000));
    expect(higher.sayings).toHaveLength(1);
    expect(higher.record.warned).toEqual([50, 60]);
  });

  it("says nothing in a subagent, whose words no person reads", () => {
    const { record, sayings } = hookDecision(at("PostToolUse", { agent_id: "a1" }), session, moment(102_000));
    expect({ sayings, warned: record.warned }).toEqual({ sayings: [], warned: [] });
  });

  it("asks for a handoff at the stop, and not between tools while there is room", () => {
    expect(hookDecision(at("PostToolUse"), session, moment(142_000))).toMatchObject({ sayings: [] });
    const { request, sayings, record } = hookDecision(at("Stop"), session, moment(142_000));
    expect(request).toMatchObject({ trigger: "threshold" });
    const { notYet } = answerOf(sayings, record.figure, TAG);
    expect(notYet).toMatch(/^71% of the context window is used, so Baton hands this work over/);
    expect(notYet).toContain("submit_handoff");
  });

  it("asks between two tools where the next turn could be compacted", () => {
    const { request, sayings, record } = hookDecision(at("PostToolUse"), session, moment(158_000));
    expect(request).toMatchObject({ trigger: "threshold" });
    expect(answerOf(sayings, record.figure, TAG).toAgent).toContain("submit_handoff");
  });

  it("asks once, and never in answer to its own question", () => {
    const asked: OwnSession = { ...session, handoff: aHandoff("asked") };
    for (const input of [at("Stop"), at("PostToolUse"), at("Stop", { stop_hook_active: true })]) {
      expect(hookDecision(input, asked, moment(190_000)).request).toBeUndefined();
    }
    const { request } = hookDecision(at("Stop", { stop_hook_active: true }), session, moment(142_000));
    expect(request).toBeUndefined();
  });

  it("tells the person, once, where the agent was asked and did not hand over", () => {
    const seen = { percent: 71, turns: 2 };
    const asked: OwnSession = { ...session, handoff: aHandoff("asked", { number: 2, seen }) };
    const { record, sayings } = hookDecision(at("Stop", { stop_hook_active: true }), asked, moment(142_000));
    const { toPerson } = answerOf(sayings, record.figure, TAG);
    expect(toPerson).toBe(
      "Handoff 2 was asked for, but the agent did not submit it, so nothing was handed over. /baton:handoff asks again, and so does Baton when the window is fuller.",
    );
    expect(hookDecision(at("Stop"), record, moment(142_000)).sayings).toEqual([]);
    const running = at("Stop", { background_tasks: [{ id: "x", type: "subagent", status: "running" }] });
    expect(hookDecision(running, asked, moment(142_000)).sayings).toEqual([]);
  });

  it("asks again at the next level where the agent ignored it", () => {
    const first = hookDecision(at("Stop"), session, moment(142_000));
    expect(first.request).toEqual({ trigger: "threshold", seen: { percent: 71, turns: 2 } });
    const seen = { percent: 71, turns: 2 };
    const ignored: OwnSession = { ...session, handoff: aHandoff("asked", { seen, unanswered: true }) };
    expect(hookDecision(at("Stop"), ignored, moment(150_000)).request).toBeUndefined();
    const { request, sayings } = hookDecision(at("Stop"), ignored, moment(153_000));
    expect(request).toEqual({ trigger: "threshold", seen: { percent: 76, turns: 2 } });
    expect(sayings).toMatchObject([{ say: "hand-off", at: "stop" }]);
    expect(
      hookDecision(at("Stop", { stop_hook_active: true }), ignored, moment(153_000)).request,
    ).toBeUndefined();
  });

  it("asks at the threshold though a request by hand was ignored before", () => {
    const seen = { percent: 20, turns: 1 };
    const handoff = aHandoff("asked", { trigger: "manual", seen, unanswered: true });
    expect(hookDecision(at("Stop"), { ...session, handoff }, moment(120_000)).request).toBeUndefined();
    expect(hookDecision(at("Stop"), { ...session, handoff }, moment(142_000)).request).toBeDefined();
  });

  it("asks again at the next stop where the person interrupted the agent while it wrote", () => {
    const asked: OwnSession = { ...session, handoff: aHandoff("asked", { seen: { percent: 71, turns: 2 } }) };
    const { record } = hookDecision(at("UserPromptSubmit", { prompt: "Wait." }), asked, moment(143_000));
    const { request, sayings } = hookDecision(at("Stop"), record, moment(144_000));
    expect(request).toMatchObject({ trigger: "threshold" });
    expect(sayings).toMatchObject([{ say: "hand-off", at: "stop" }]);
    const byHand: OwnSession = { ...session, handoff: aHandoff("asked", { trigger: "manual" }) };
    const called = hookDecision(at("UserPromptSubmit", { prompt: "No." }), byHand, moment(30_000)).record;
    expect(hookDecision(at("Stop"), called, moment(31_000)).request).toBeUndefined();
  });

  describe("has the document written from facts, one turn before the program compacts,", () => {
    const seen = { percent: 79, turns: 1 };
    const asked: OwnSession = { ...session, handoff: aHandoff("asked", { seen }) };

    it("where the agent ended its turn without handing over", () => {
      const stop = at("Stop", { stop_hook_active: true });
      expect(hookDecision(stop, asked, moment(158_000)).facts).toBeUndefined();
      const { facts, sayings, record } = hookDecision(stop, asked, moment(164_000));
      expect(facts).toBe("beside");
      expect(answerOf(sayings, record.figure, TAG).toPerson).toBe(
        "Handoff 1 was asked for, but the agent did not submit it. Claude Code is about to compact this session, so Baton writes the document from facts.",
      );
      const ignored = { ...session, handoff: aHandoff("asked", { seen, unanswered: true }) };
      expect(hookDecision(at("UserPromptSubmit", { prompt: "x" }), ignored, moment(164_000)).facts).toBe(
        "beside",
      );
    });

    it("where the agent works on in the same turn, but not while it may be about to answer", () => {
      const onTheWay: OwnSession = {
        ...session,
        handoff: aHandoff("asked", { seen: { percent: 79, turns: 2 } }),
      };
      expect(hookDecision(at("PostToolUse"), onTheWay, moment(164_000)).facts).toBeUndefined();
      const worksOn: OwnSession = {
        ...session,
        handoff: aHandoff("asked", { seen: { percent: 79, turns: 0 } }),
      };
      expect(hookDecision(at("PostToolUse"), worksOn, moment(164_000)).facts).toBe("beside");
    });

    it("once for a window, at 90 % where it does not compact, and not where handoffs are off", () => {
      const stop = at("Stop", { stop_hook_active: true });
      const fromFacts = { documentPath: "/f.md", turns: 2 };
      const written = { ...session, handoff: aHandoff("asked", { seen, unanswered: true, fromFacts }) };
      expect(hookDecision(stop, written, moment(166_000)).facts).toBeUndefined();
      const never = { compactsAt: undefined, refusesAt: 1_000_000 };
      expect(hookDecision(stop, asked, { ...moment(178_000), ...never }).facts).toBeUndefined();
      expect(hookDecision(stop, asked, { ...moment(180_000), ...never }).facts).toBe("beside");
      expect(hookDecision(stop, asked, moment(164_000, { enabled: false })).facts).toBeUndefined();
    });

    it("and by the hook of the compaction itself, where none tells what is lost", () => {
      const auto = at("PreCompact", { trigger: "auto" });
      expect(hookDecision(auto, session, moment(166_000)).facts).toBe("now");
      expect(hookDecision(auto, asked, moment(166_000)).facts).toBe("now");
      const gone = { ...session, handoff: aHandoff("pending", { wentOn: true }) };
      expect(hookDecision(auto, gone, moment(166_000)).facts).toBe("now");
      const stored = { ...session, handoff: aHandoff("stored") };
      expect(hookDecision(auto, stored, moment(166_000)).facts).toBeUndefined();
      const fromFacts = { documentPath: "/f.md", turns: 2 };
      const written = { ...session, handoff: aHandoff("asked", { seen, fromFacts }) };
      expect(hookDecision(auto, written, moment(166_000)).facts).toBeUndefined();
      const byHand = at("PreCompact", { trigger: "manual" });
      expect(hookDecision(byHand, session, moment(50_000)).facts).toBeUndefined();
      expect(hookDecision(byHand, asked, moment(166_000)).facts).toBe("now");
    });
  });

  it("knows that the person went on where a handoff waits for the next session", () => {
    const waits: OwnSession = { ...session, handoff: aHandoff("pending") };
    const { record } = hookDecision(at("UserPromptSubmit", { prompt: "One more." }), waits, moment(20_000));
    expect(record.handoff).toMatchObject({ state: "pending", wentOn: true });
  });

  it("waits for subagents to come back, but not for commands in the background", () => {
    const running = (type: string) =>
      at("Stop", { background_tasks: [{ id: "x", type, status: "running" }] });
    expect(hookDecision(running("subagent"), session, moment(142_000)).request).toBeUndefined();
    expect(hookDecision(running("shell"), session, moment(142_000)).request).toBeDefined();
    expect(hookDecision(running("subagent"), session, moment(158_000)).request).toBeDefined();
  });

  it("leaves the window alone where handoffs are off, or nobody could go on", () => {
    for (const off of [{ enabled: false }, { attended: false }]) {
      expect(hookDecision(at("Stop"), session, moment(142_000, off)).request).toBeUndefined();
      const { sayings, record } = hookDecision(at("Stop"), session, moment(124_000, off));
      expect(answerOf(sayings, record.figure, TAG).toPerson).not.toContain("Baton hands");
    }
  });

  it("continues a handoff once it is stored", () => {
    const stored: OwnSession = { ...session, handoff: aHandoff("stored") };
    const decision = hookDecision(at("Stop", { stop_hook_active: true }), stored, moment(142_000));
    expect(decision).toMatchObject({ cycle: true, sayings: [] });
  });

  it("has a handoff written again that the person has continued from, before anything is cleared", () => {
    for (const state of ["stored", "clearing"] as const) {
      const handoff = aHandoff(state, { at: "2026-01-01T00:59:50.000Z", trigger: "manual" });
      const pane = { socket: "/s", id: "%1" };
      const { record } = hookDecision(
        at("UserPromptSubmit", { prompt: "First this." }),
        { ...session, pane, handoff },
        moment(142_000),
      );
      const { request, cycle } = hookDecision(at("Stop"), record, moment(142_000));
      expect({ request, cycle }).toMatchObject({ request: { trigger: "manual" }, cycle: undefined });
    }
  });

  it("does not take the watcher's check message for a person who goes on", () => {
    const stored: OwnSession = { ...session, handoff: aHandoff("stored") };
    const now = moment(142_000, { checkMessage: "Look at\n  your workers." });
    const { record } = hookDecision(at("UserPromptSubmit", { prompt: "Look at your workers." }), stored, now);
    expect(hookDecision(at("Stop"), record, now).cycle).toBe(true);
  });

  it("continues a clearing that was cut off, and leaves one alone that is under way", () => {
    const clearing = (since: string): OwnSession => ({
      ...session,
      pane: { socket: "/s", id: "%1" },
      handoff: aHandoff("clearing", { at: since }),
    });
    const cut = clearing("2026-01-01T00:50:00.000Z");
    expect(hookDecision(at("Stop"), cut, moment(142_000)).cycle).toBe(true);
    const underWay = clearing("2026-01-01T00:59:30.000Z");
    expect(hookDecision(at("Stop"), underWay, moment(142_000))).toMatchObject({ sayings: [] });
    expect(hookDecision(at("Stop"), underWay, moment(142_000)).cycle).toBeUndefined();
  });

  it("follows the window also after tools that fail", () => {
    const failed = hookInput("PostToolUseFailure", JSON.stringify({ session_id: "s1", cwd: "/project" }));
    if (failed?.event !== "tool") throw new Error("no such hook");
    const { record, sayings } = hookDecision(failed, session, moment(102_000));
    expect(record.figure).toMatchObject({ tokens: 102_000 });
    expect(answerOf(sayings, record.figure, TAG).toPerson).toContain("51%");
  });

  it("keeps to what a hook may say, however much others have told", () => {
    const mail = Array.from({ length: 60 }, (_, index) => ({
      from: `worker-${index}`,
      text: `report ${index} ${"x".repeat(400)}`,
      at: "2026-01-01T00:30:00.000Z",
    }));
    const told = hookDecision(
      at("UserPromptSubmit", { prompt: "hello" }),
      { ...session, mail },
      moment(20_000),
    );
    const text = answerOf(told.sayings, null, TAG).toAgent ?? "";
    expect(text.length).toBeLessThan(3_300);
    expect(text).toContain('worker-59, 2026-01-01 00:30 UTC: "report 59');
    expect(text).toMatch(/… and \d+ before these: list_workers/);
  });

  it("knows a person's own request for a handoff, and what it should focus on", () => {
    const prompt = "/baton:handoff the failing test";
    expect(hookDecision(at("UserPromptSubmit", { prompt }), session, moment(20_000)).request).toMatchObject({
      trigger: "manual",
      focus: "the failing test",
      atRest: true,
    });
    const other = at("UserPromptSubmit", { prompt: "/baton:handoffs" });
    expect(hookDecision(other, session, moment(20_000)).request).toBeUndefined();
  });

  it("hands an orchestrator over at a threshold of its own, from the moment that it is one", () => {
    const prompts = [
      at("UserPromptSubmit", { prompt: "/baton:orchestrator three workers" }),
      at("PostToolUse", { tool_name: "Skill", tool_input: { skill: "baton:orchestrator" } }),
    ];
    for (const input of prompts) {
      const { record } = hookDecision(input, session, moment(20_000));
      expect(record.role).toBe("orchestrator");
      expect(hookDecision(at("Stop"), record, moment(101_000)).request).toMatchObject({
        trigger: "threshold",
      });
    }
    expect(hookDecision(at("Stop"), session, moment(101_000)).request).toBeUndefined();
  });

  it("delivers what others told the session, once", () => {
    const told = { ...session, mail: [{ from: "w1", text: "tests: done", at: "2026-01-01T00:30:00.000Z" }] };
    const { record, sayings } = hookDecision(
      at("UserPromptSubmit", { prompt: "hello" }),
      told,
      moment(20_000),
    );
    expect(record.mail).toEqual([]);
    expect(answerOf(sayings, null, TAG).toAgent).toContain('- w1, 2026-01-01 00:30 UTC: "tests: done"');
  });

  it("shows a person what Baton itself has to say, and not only the agent", () => {
    const told = { ...session, mail: [{ from: "baton", text: "Handoff 1 goes on in a job.", at: "" }] };
    const { sayings } = hookDecision(at("UserPromptSubmit", { prompt: "hello" }), told, moment(20_000));
    expect(answerOf(sayings, null, TAG).toPerson).toBe("Handoff 1 goes on in a job.");
  });

  it("records the end of a session", () => {
    const { record } = hookDecision(at("SessionEnd", { reason: "clear" }), session, moment(20_000));
    expect(record.ended).toEqual({ at: "2026-01-01T01:00:00.000Z", reason: "clear" });
  });
});

it("does not take anything for what Claude Code sends", () => {
  for (const text of ["", "{", "[]", "null", '{"session_id":1}', '{"session_id":"x"}']) {
    expect(hookInput("Stop", text)).toBeUndefined();
  }
});

it("tells the person once that the configuration cannot be read, and that it can be read again", () => {
  const problem = "baton.yaml:3:1 unknown key";
  const [good, broken] = [moment(10_000), moment(10_000, { problem })];
  const saidAfter = ({ settings }: Moment, now: Moment) => {
    const before = { ...session, settings };
    const { sayings } = hookDecision(at("UserPromptSubmit", { prompt: "Hello" }), before, now);
    return answerOf(sayings, null, TAG).toPerson;
  };
  expect(saidAfter(good, broken)).toMatch(
    /^Baton's configuration cannot be read, so the defaults apply in this session: baton\.yaml:3:1 unknown key\./,
  );
  expect(saidAfter(broken, broken)).toBeUndefined();
  expect(saidAfter(broken, good)).toBe("The configuration can be read again, and applies.");
});

describe("what a person asks Baton itself", () => {
  const answered = (prompt: string, record: OwnSession, now: Moment) => {
    const decision = hookDecision(at("UserPromptSubmit", { prompt }), record, now);
    return { ...decision, ...answerOf(decision.sayings, decision.record.figure, TAG) };
  };

  it("is answered without a turn: how full the window is, the handoff, and what there is to do", () => {
    const now = moment(84_500);
    const todos = { todos: [{ id: "1", text: "Paint it", status: "in_progress" }], running: [] };
    if (now.figured.reading) now.figured.reading.about = { todos };
    const mail = [{ from: "w", text: "done", at: "2026-01-01T00:30:00.000Z" }];
    const pane = { socket: "/tmux", id: "%1" };
    const { record, instead, toAgent } = answered("/baton:status", { ...session, mail, pane }, now);
    expect(instead?.split("\n")).toEqual([
      "85k of 200k tokens (42%) of the context window are used, and at this pace it is full in 7 turns.",
      "At 70% Baton hands the work over to a fresh session.",
      "No handoff is under way.",
      "Todos: 0 of 1, now Paint it.",
    ]);
    expect(toAgent).toBeUndefined();
    expect(record).toMatchObject({ mail, warned: [] });
    expect(record.inTurn).toBeUndefined();

    const handoff = aHandoff("stored", { number: 2, waitsFor: "dialog" });
    const stored = answered("/baton:status", { ...session, pane, handoff }, moment(84_000));
    expect(stored.instead).toContain("Handoff 2: stored, waits until the dialog is closed.");
    expect(stored.record.handoff).toEqual(handoff);
    const over = answered("/baton:status", { ...session, pane }, moment(150_000));
    expect(over.instead).toContain(
      "That is over the 70% at which Baton hands the work over to a fresh session.",
    );
    const unread = { ...session, figure: null, handoff: null };
    const none = { figure: null, reading: null };
    const first = answered("/baton:status", unread, { ...moment(0, { enabled: false }), figured: none });
    expect(first.instead).toMatch(
      /^The agent has not answered yet, .*\n.*handoff\.enabled is false\.\nNo handoff/,
    );
  });

  it("cancels a handoff, which the agent hears with the next prompt, and which is asked for again later", () => {
    const asked = hookDecision(at("Stop"), session, moment(142_000));
    expect(asked.request).toBeDefined();
    const handoff = aHandoff("asked", { seen: { percent: 71, turns: 2 } });
    const after = answered("/baton:cancel", { ...session, handoff }, moment(142_000));
    expect(after.instead).toBe(
      "Handoff 1 is cancelled. Baton asks again when another 5% of the window is used; /baton:handoff asks at once.",
    );
    expect(after.record.handoff).toMatchObject({
      state: "cancelled",
      unwritten: true,
      seen: { percent: 71 },
    });
    const next = answered("Now the roof.", after.record, moment(143_000));
    expect(next.toAgent).toMatch(/^The user has cancelled the handoff/);
    expect(answered("And the door.", next.record, moment(144_000)).toAgent).toBeUndefined();
    expect(hookDecision(at("Stop"), next.record, moment(151_000)).request).toBeUndefined();
    expect(hookDecision(at("Stop"), next.record, moment(152_000)).request).toMatchObject({
      trigger: "threshold",
    });
    const again = hookDecision(
      at("UserPromptSubmit", { prompt: "/baton:handoff" }),
      after.record,
      moment(143_000),
    );
    expect(again.request).toMatchObject({ trigger: "manual" });
    expect(answerOf(again.sayings, null, TAG).toAgent).toBeUndefined();
  });

  it("says why there is nothing to cancel", () => {
    const said = (handoff: OwnSession["handoff"]) =>
      answered("/baton:cancel", { ...session, handoff }, moment(20_000)).instead;
    expect(said(null)).toBe("There is no handoff to cancel.");
    expect(said(aHandoff("clearing"))).toContain("is being passed on, so it can no longer be cancelled");
    expect(said(aHandoff("pending"))).toContain("baton handoff dismiss /d.md");
    expect(said(aHandoff("stored"))).toContain("is not cleared, and the document stays: /d.md.");
  });
});
