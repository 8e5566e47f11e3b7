import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder, write } from "../../../test/job-worktree.ts";
import { firstLeg, only, PROMPT, playedJob, type Setting, typesOf } from "../../../test/played-job.ts";
import {
  account,
  background,
  completed,
  fillsWindow,
  handsIn,
  idle,
  type Part,
  PlayedAgent,
  response,
  stopped,
  turnEnd,
} from "../../../test/played-session.ts";
import { untagged } from "../../../test/untagged.ts";
import { calledOffPrompt, notWantedPrompt, workOnPrompt } from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import { JobCancelled } from "../reasons.ts";
import type { Leg } from "../run/leg.ts";
import type { FromWork } from "./handoff-from.ts";
import { Handoffs } from "./handoffs.ts";

/** A session whose window has filled, and what it does about each message from then on. */
async function fullSession(parts: Part[], setting: Setting = {}, first: Part = fillsWindow) {
  const folder = await temporaryFolder();
  const played = playedJob({ folder, agent: new PlayedAgent(first, ...parts), ...setting });
  const leg = await firstLeg(played);
  await leg.run();
  const handoffs = new Handoffs(played.context);
  return { ...played, folder, leg, handoffs, from: fromLeg(leg) };
}

function fromLeg(leg: Leg, more: Partial<FromWork> = {}): FromWork {
  return { kind: "work", leg, trigger: "threshold", waits: false, ...more };
}

function legOf(passed: Awaited<ReturnType<Handoffs["handOff"]>>): Leg {
  if ("pause" in passed) throw new Error(`paused: ${passed.pause.message}`);
  return passed.leg;
}

const hears: Part = () => {};
/** Fills its window while a server of its runs. */
const fillsBesideServer: Part = (session) =>
  session.play(response(20_000), background("server"), response(150_000), stopped, idle);
/** Is asked for its account and writes on and on. */
const writesLong: Part = (session) => session.play(response(151_000));

describe("a handoff", () => {
  it("is stored before its session ends, and its document is the first that the next one hears", async () => {
    const { handoffs, from, agent, events, job } = await fullSession([handsIn, hears]);
    const leg = legOf(await handoffs.handOff(from));
    const steps = typesOf(events).slice(typesOf(events).indexOf("context:handoff:start"));
    expect(steps.filter((type) => type !== "response" && type !== "cost")).toEqual([
      "context:handoff:start",
      "handoff:asked",
      "facts:collected",
      "handoff:stored",
      "session:ended",
      "session:starting",
      "context:handoff:complete",
      "message:sent",
    ]);
    const [first, next] = agent.sessions;
    expect(first?.isClosed).toBe(true);
    expect(leg.live.session).toBe(next);
    expect(next?.sent).toMatchObject([{ verbatim: true }]);
    expect(next?.sent[0]?.text).toContain(account.currentState);
    expect(untagged(next?.sent[0]?.text)).toContain(`<original-request>\n${PROMPT}\n</original-request>`);
    expect(next?.sent[0]?.text).toMatch(
      /not to be done again:\n[\s\S]*<done-\w+>\n- The first line is written/,
    );
    expect(job().sessions).toMatchObject([
      { endReason: "handoff" },
      { mode: "continuation", endReason: null },
    ]);
    expect(job().handoffs).toMatchObject([{ trigger: "threshold", source: "agent", toSession: next?.id }]);
  });

  it("has the next program start up while the account is written, and tells it nothing before", async () => {
    const seen: unknown[] = [];
    const { handoffs, from, agent } = await fullSession([
      async (session, text) => {
        await vi.waitUntil(() => agent.sessions.length === 2);
        seen.push(agent.sessions.map(({ sent, isClosed }) => ({ heard: sent.length, isClosed })));
        await handsIn(session, text);
      },
      hears,
    ]);
    await handoffs.handOff(from);
    expect(seen).toEqual([
      [
        { heard: 2, isClosed: false },
        { heard: 0, isClosed: false },
      ],
    ]);
  });

  it("waits for what runs in the background, and says what was left running", async () => {
    const grace = { config: { session: { backgroundGraceMs: 5 } } };
    const { handoffs, from, events } = await fullSession([handsIn, hears], grace, fillsBesideServer);
    await handoffs.handOff(from);
    expect(only(events, "background:left", "handoff:asked")).toMatchObject([
      { type: "background:left", tasks: [{ id: "server" }] },
      { type: "handoff:asked" },
    ]);
  });

  it("is made from the facts where the window overflowed, and nobody is asked", async () => {
    const { handoffs, leg, session, job, events } = await fullSession([hears]);
    legOf(await handoffs.handOff({ kind: "overflowed", live: leg.live }));
    expect(only(events, "handoff:asked")).toEqual([]);
    expect(session.sent).toHaveLength(1);
    expect(job().sessions).toMatchObject([{ endReason: "out-of-context" }, { mode: "continuation" }]);
    expect(job().handoffs).toMatchObject([{ source: "facts", outcome: "from-facts", trigger: "overflow" }]);
  });

  it("waits for the person where one is to speak next: the session is told nothing before", async () => {
    const { handoffs, leg, agent } = await fullSession([handsIn], { isAttended: true });
    const next = legOf(await handoffs.handOff(fromLeg(leg, { waits: true })));
    expect(agent.sessions[1]?.sent).toEqual([]);
    expect(next.unheard).toMatchObject({
      kind: "continuation",
      text: expect.stringContaining(account.currentState),
    });
  });

  it("that was cut off is asked for in the resumed session, and waits for nothing in its background", async () => {
    const { handoffs, leg, events, job } = await fullSession([handsIn, hears], {}, fillsBesideServer);
    const made = handoffs.handOff({ kind: "resumed", ended: [], live: leg.live });
    expect(handoffs.callOff()).toBe(false);
    expect(legOf(await made).isWaiting).toBe(false);
    expect(only(events, "background:left")).toEqual([]);
    expect(job().handoffs).toMatchObject([{ trigger: "resume", source: "agent", fromSession: "first" }]);
  });

  it("that was cut off is the person's to call off, where one is there, and theirs to speak after", async () => {
    const { handoffs, leg, agent } = await fullSession([handsIn], { isAttended: true });
    const made = handoffs.handOff({ kind: "resumed-attended", ended: [], leg });
    const next = legOf(await made);
    expect(next).not.toBe(leg);
    expect(next.isWaiting).toBe(true);
    expect(agent.sessions[1]?.sent).toEqual([]);

    const unwanted = await fullSession([hears], { isAttended: true }, fillsBesideServer);
    const calledOff = unwanted.handoffs.handOff({ kind: "resumed-attended", ended: [], leg: unwanted.leg });
    expect(unwanted.handoffs.callOff()).toBe(true);
    expect(legOf(await calledOff)).toBe(unwanted.leg);
    expect(unwanted.leg.isWaiting).toBe(true);
  });

  it("stores nothing when the job is cancelled while it is written, and the session is closed at once", async () => {
    const { handoffs, from, stop, events, session } = await fullSession([
      () => stop.abort(new JobCancelled("by the user")),
    ]);
    await expect(handoffs.handOff(from)).rejects.toThrow("by the user");
    expect(only(events, "handoff:stored", "session:ended")).toEqual([]);
    expect(session.isClosed).toBe(true);
  });

  it("is not taken for one that was called off when the job is cancelled before it is written", async () => {
    const { handoffs, from, stop, events, session } = await fullSession([], {}, fillsBesideServer);
    const made = handoffs.handOff(from);
    stop.abort(new JobCancelled("by the user"));
    await expect(made).rejects.toThrow("by the user");
    expect(only(events, "handoff:cancelled")).toEqual([]);
    expect(session.sent).toHaveLength(1);
  });

  it("breaks the job off where its document cannot be stored, with its session still there", async () => {
    const { handoffs, from, folder, session } = await fullSession([handsIn]);
    await writeFile(join(folder, ".baton"), "a file in the way");
    await expect(handoffs.handOff(from)).rejects.toThrow();
    expect(session.isClosed).toBe(false);
  });
});

describe("after a handoff the job pauses", () => {
  it("where its number of handoffs is used up: the last one is written, and no program starts", async () => {
    const { handoffs, from, agent, job } = await fullSession([handsIn], {
      config: { session: { maxHandoffsPerJob: 0 } },
    });
    expect(await handoffs.handOff(from)).toEqual({
      pause: {
        code: "max_handoffs",
        message: expect.stringMatching(/used its 0 handoffs.*not done. The last one is written.*allow more/),
      },
    });
    expect(agent.sessions).toHaveLength(1);
    expect(job().sessions).toMatchObject([{ endReason: "handoff" }]);
    expect(job().handoffs).toMatchObject([{ outcome: "written", toSession: null }]);
  });

  it("where the user goes on by hand", async () => {
    const { handoffs, from } = await fullSession([handsIn], { config: { handoff: { autoContinue: false } } });
    expect(await handoffs.handOff(from)).toMatchObject({ pause: { code: "handed_off" } });
  });

  it("where it came too soon after the last one", async () => {
    const { handoffs, from } = await fullSession([handsIn, fillsWindow, handsIn]);
    const second = legOf(await handoffs.handOff(from));
    await second.run();
    expect(await handoffs.handOff(fromLeg(second))).toMatchObject({
      pause: { code: "thrash", message: expect.stringMatching(/2 turns after the last handoff/) },
    });
  });

  it("but not where a person is there: they are told, and speak next", async () => {
    const { handoffs, from, agent, events } = await fullSession([handsIn], {
      config: { session: { maxHandoffsPerJob: 0 } },
      isAttended: true,
    });
    const leg = legOf(await handoffs.handOff(from));
    expect(only(events, "warning")).toMatchObject([
      { message: expect.stringMatching(/max_handoffs_per_job/) },
    ]);
    expect(agent.sessions[1]?.sent).toEqual([]);
    expect(leg.isWaiting).toBe(true);
  });
});

describe("a handoff that is called off", () => {
  it("while background work is waited for leaves the session as it was, and it works on", async () => {
    const { handoffs, from, leg, session, agent, events, job } = await fullSession(
      [hears],
      {},
      fillsBesideServer,
    );
    const made = handoffs.handOff(from);
    expect(handoffs.callOff()).toBe(true);
    expect(legOf(await made)).toBe(leg);
    expect(only(events, "handoff:cancelled")).toMatchObject([{ session: "first", stage: "background" }]);
    expect(session.sent.at(-1)?.text).toBe(workOnPrompt());
    expect(session.asked).toEqual([]);
    expect(agent.sessions[1]?.isClosed).toBe(true);
    expect(job()).toMatchObject({ handoffs: [], pendingHandoff: null });
    expect(job().sessions).toHaveLength(1);
  });

  it("while it is written interrupts the writing first", async () => {
    const asked: string[][] = [];
    const { handoffs, from, leg, session, events } = await fullSession([
      async (writing, text) => {
        writesLong(writing, text);
        handoffs.callOff();
        await writing.untilAsked("interrupt");
        asked.push([...writing.asked]);
        writing.play(turnEnd({ kind: "interrupted" }), idle);
      },
      hears,
    ]);
    expect(legOf(await handoffs.handOff(from))).toBe(leg);
    expect(asked).toEqual([["interrupt"]]);
    expect(only(events, "handoff:cancelled")).toMatchObject([{ stage: "writing" }]);
    expect(session.sent.at(-1)?.text).toBe(calledOffPrompt());
  });

  it("leaves the next word to the person who is there", async () => {
    const { handoffs, leg, session } = await fullSession(
      [
        (writing) => {
          handoffs.callOff();
          writing.play(turnEnd({ kind: "interrupted" }), idle);
        },
      ],
      { isAttended: true },
    );
    await handoffs.handOff(fromLeg(leg, { waits: true }));
    expect(leg.unheard?.text).toBe(notWantedPrompt());
    expect(session.sent).toHaveLength(2);
  });

  it("is one that is being made: not one that is stored, nor one with no session to go back to", async () => {
    const { handoffs, from } = await fullSession([handsIn, hears]);
    expect(handoffs.callOff()).toBe(false);
    await handoffs.handOff(from);
    expect(handoffs.callOff()).toBe(false);

    const lost = await fullSession([hears]);
    const made = lost.handoffs.handOff({ kind: "gone", session: "first", trigger: "lost", waits: false });
    expect(lost.handoffs.callOff()).toBe(false);
    await made;
  });
});

describe("a person who asked for a handoff", () => {
  it("keeps the session where it gave no account, and learns why", async () => {
    const { handoffs, leg, events, job, agent } = await fullSession(
      [(session) => session.play(turnEnd({ kind: "limited", message: "5-hour limit" }), idle)],
      { isAttended: true },
    );
    const kept = legOf(await handoffs.handOff(fromLeg(leg, { trigger: "manual", waits: true })));
    expect(kept).toBe(leg);
    expect(only(events, "handoff:failed")).toMatchObject([{ session: "first", message: "5-hour limit" }]);
    expect(job()).toMatchObject({ handoffs: [], pendingHandoff: null });
    expect(agent.sessions.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it("may have as many as they like, however soon", async () => {
    const { handoffs, leg, events } = await fullSession([handsIn, hears], {
      config: { session: { maxHandoffsPerJob: 0 } },
      isAttended: true,
    });
    const next = legOf(await handoffs.handOff(fromLeg(leg, { trigger: "manual" })));
    expect(only(events, "warning")).toEqual([]);
    expect(next.isWaiting).toBe(false);
  });
});

describe("a session that is spared its handoff", () => {
  it("works on, and is not stopped again before a twentieth of its window is used", async () => {
    const { handoffs, leg, session } = await fullSession([
      (spared) => spared.play(response(159_999), completed(), idle),
    ]);
    expect(await handoffs.spare(leg, { waits: false, hasHeard: false })).toBe(leg);
    expect(session.sent.at(-1)?.text).toBe(workOnPrompt());
    expect(await leg.run()).toMatchObject({ kind: "completed" });
    expect(session.asked).toEqual([]);
  });
});

describe("a job that begins with a document", () => {
  it("by another tool takes what it says, and the user's request beside it", async () => {
    const folder = await temporaryFolder();
    await write(folder, { "notes.md": "# My notes\n\n## Next steps\n\n- Write the second line.\n" });
    const { context, session, job, events } = playedJob({ folder });
    await new Handoffs(context).beginFrom(join(folder, "notes.md"), false);
    expect(session.sent).toMatchObject([{ verbatim: true }]);
    expect(session.sent[0]?.text).toContain("Write the second line.");
    expect(session.sent[0]?.text).toContain(PROMPT);
    expect(job().sessions).toMatchObject([{ mode: "continuation", lastMessage: "continuation" }]);
    expect(only(events, "context:handoff:complete")).toEqual([]);
  });

  it("finds it where it was archived since", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "archive"));
    await writeFile(join(folder, "archive", "notes.md"), "## Goal\n\nFrom the archive.\n");
    const { context, session } = playedJob({ folder });
    await new Handoffs(context).beginFrom(join(folder, "notes.md"), false);
    expect(session.sent[0]?.text).toContain("From the archive.");
  });
});

describe("a job whose handoff no session has picked up yet", () => {
  it("continues from it in a new session, which it then belongs to", async () => {
    const { handoffs, from, agent, job, context } = await fullSession([handsIn, hears], {
      config: { handoff: { autoContinue: false } },
    });
    await handoffs.handOff(from);
    const [stored] = job().handoffs;
    if (!stored) throw new Error("nothing stored");
    const text = await readFile(stored.documentPath, "utf8");
    expect(parseDocument(text).account).toMatchObject({ goal: account.goal, nextSteps: account.nextSteps });
    agent.transcripts.set("first", "/transcripts/first.jsonl");
    const leg = await handoffs.continueFrom(stored, await context.sessions.warm());
    expect(job().handoffs).toMatchObject([{ fromSession: "first", toSession: leg.live.id }]);
    expect(agent.sessions[1]?.sent[0]?.text).toContain("transcript is /transcripts/first.jsonl");
  });
});
