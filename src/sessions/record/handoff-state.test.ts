import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aHandoff, type State } from "../../../test/a-handoff.ts";
import { handoffFrom } from "./handoff-on-disk.ts";
import {
  documentOf,
  hasGoneOn,
  hasHadAccount,
  isAskedSince,
  isCutOff,
  isForTheNext,
  isHandedOff,
  isHandingOff,
  isOnItsWay,
  isSameHandoff,
  mayBeCleared,
  successorOf,
} from "./handoff-questions.ts";
import {
  afterCompaction,
  afterPrompt,
  asked,
  askedAgain,
  COMPACTED,
  cancelled,
  clearing,
  dismissed,
  failed,
  type HandoffPlace,
  isAsked,
  isAskedAgainAt,
  leftUnanswered,
  pending,
  placeOf,
  type SessionHandoff,
  stopped,
  stored,
  takenUp,
  waiting,
  wentOn,
  withFacts,
} from "./handoff-state.ts";

const STATES: State[] = ["asked", "stored", "clearing", "pending", "failed", "taken-up", "cancelled"];
const NOW = "2026-01-01T10:00:00.000Z";
const place: HandoffPlace = { number: 3, trigger: "manual", focus: "the roof", previous: "/two.md" };
const begun = { at: NOW, number: 3, trigger: "manual", focus: "the roof" };

/** What a step makes of a handoff in each state, by what changes; null where there is none any more. */
function inEach(step: (handoff: SessionHandoff) => SessionHandoff | null | undefined) {
  return Object.fromEntries(
    STATES.map((state) => {
      const before = aHandoff(state);
      const after = step(before);
      return [state, after === before ? "as it is" : after];
    }),
  );
}

function statesThat(is: (handoff: SessionHandoff | null) => boolean): State[] {
  expect(is(null)).toBe(false);
  return STATES.filter((state) => is(aHandoff(state)));
}

describe("a handoff begins", () => {
  it("with a request that keeps the document before it, if there is one", () => {
    expect(asked(place, NOW)).toEqual({ ...begun, state: "asked", documentPath: "/two.md" });
    const first: HandoffPlace = { number: 1, trigger: "threshold", previous: null };
    expect(asked(first, NOW)).toEqual({ state: "asked", at: NOW, number: 1, trigger: "threshold" });
  });

  it("with what a first account lacked, and the second one counts", () => {
    const again = askedAgain(place, ["the goal"], NOW);
    expect(again).toEqual({ ...asked(place, NOW), again: ["the goal"] });
    expect([asked(place, NOW), again].map(hasHadAccount)).toEqual([false, true]);
  });

  it("with its own document, and not the one before it", () => {
    expect(stored(place, "/three.md", NOW)).toEqual({ ...begun, state: "stored", documentPath: "/three.md" });
    expect(stopped(place, "/three.md", "a conflict", NOW)).toEqual({
      ...begun,
      state: "failed",
      documentPath: "/three.md",
      reason: "a conflict",
    });
  });

  it("after its own last document, or else after its parent's", () => {
    const parent = aHandoff("taken-up", { number: 4, documentPath: "/four.md" });
    const own = { number: 2, previous: "/d.md" };
    const next = { number: 5, previous: "/four.md" };
    expect(placeOf(null, undefined)).toEqual({ number: 1, previous: null, trigger: "manual" });
    expect(placeOf(null, parent)).toEqual({ ...next, trigger: "manual" });
    expect(placeOf(aHandoff("asked", { number: 7, trigger: "agent" }), parent)).toEqual({
      number: 7,
      previous: "/four.md",
      trigger: "agent",
    });
    for (const state of ["stored", "clearing", "pending", "taken-up"] as const) {
      const handoff = aHandoff(state, { trigger: "agent", focus: "the roof" });
      expect(placeOf(handoff, parent)).toEqual({ ...own, trigger: "manual" });
    }
    const unresolved = aHandoff("failed", { trigger: "agent", focus: "the roof" });
    expect(placeOf(unresolved, parent)).toEqual({ ...own, trigger: "agent", focus: "the roof" });
  });
});

describe("a step of a handoff that is passed on", () => {
  const written = { at: NOW, number: 1, trigger: "threshold", documentPath: "/d.md" };
  const flags = { wentOn: true, outlived: true, successor: "chosen" } as const;

  it.each([
    ["clearing", (handoff: SessionHandoff | null) => clearing(handoff, NOW), {}],
    ["pending", (handoff: SessionHandoff | null) => pending(handoff, "why", NOW), { reason: "why" }],
    ["failed", (handoff: SessionHandoff | null) => failed(handoff, "why", NOW), { reason: "why" }],
  ] as const)("to %s applies where there is a document that nobody has picked up", (state, step, more) => {
    const expected = { ...written, state, ...more };
    expect(step(null)).toBeUndefined();
    expect(inEach(step)).toEqual({
      asked: undefined,
      stored: expected,
      clearing: expected,
      pending: expected,
      failed: expected,
      "taken-up": undefined,
      cancelled: undefined,
    });
    expect(step(aHandoff("asked", { number: 2, documentPath: "/d.md" }))).toBeUndefined();
    for (const before of ["clearing", "pending", "failed"] as const) {
      expect(step(aHandoff(before, flags))).toEqual({ ...expected, ...flags });
    }
  });

  it("names the next session once it is known, and keeps it", () => {
    const named = clearing(aHandoff("stored"), NOW, "chosen");
    expect(named).toMatchObject({ successor: "chosen" });
    expect(clearing(named, NOW)).toMatchObject({ successor: "chosen" });
    expect(clearing(named, NOW, "another")).toMatchObject({ successor: "another" });
    expect(successorOf(pending(named, "why", NOW))).toBe("chosen");
    expect([null, ...STATES.map((state) => aHandoff(state))].map(successorOf)).toEqual([
      ...Array(6).fill(undefined),
      "next",
      undefined,
    ]);
  });
});

describe("a handoff that is picked up", () => {
  const by = { successor: "taker", documentPath: "/here.md", at: NOW };
  const old = { at: "2026-01-01T00:00:00.000Z", number: 1, trigger: "threshold", documentPath: "/d.md" };

  it("keeps why it waited and that the person went on, in whichever state it was", () => {
    const expected = { ...old, state: "taken-up", successor: "taker" };
    expect(inEach((handoff) => takenUp(handoff, by))).toEqual({
      asked: { ...expected, documentPath: "/here.md" },
      stored: expected,
      clearing: expected,
      pending: { ...expected, reason: "nobody could go on" },
      failed: { ...expected, reason: "it could not be committed" },
      "taken-up": expected,
      cancelled: expected,
    });
    const flags = { wentOn: true, outlived: true } as const;
    expect(takenUp(aHandoff("pending", flags), by)).toMatchObject(flags);
    const anew = aHandoff("asked", { documentPath: "/d.md", again: ["x"], unanswered: true });
    expect(takenUp(anew, by)).toEqual(expected);
  });

  it("is one also where nobody had asked for it", () => {
    expect(takenUp(null, by)).toEqual({ ...by, state: "taken-up", number: 1, trigger: "threshold" });
  });
});

describe("what happens in a session meanwhile", () => {
  it("is a person who goes on, and then the document does not tell all", () => {
    expect(afterPrompt(null)).toBeNull();
    expect(inEach(afterPrompt)).toEqual({
      asked: aHandoff("asked", { interrupted: true }),
      stored: aHandoff("stored", { wentOn: true }),
      clearing: aHandoff("clearing", { wentOn: true }),
      pending: aHandoff("pending", { wentOn: true }),
      failed: "as it is",
      "taken-up": "as it is",
      cancelled: aHandoff("cancelled", { told: true }),
    });
    expect(wentOn(aHandoff("failed"))).toEqual(aHandoff("failed", { wentOn: true }));
    const others = [{ unanswered: true }, { trigger: "manual" }, { trigger: "agent" }] as const;
    for (const more of others) expect(afterPrompt(aHandoff("asked", more))).toEqual(aHandoff("asked", more));
  });

  it("is a compaction, which leaves no request and has a handoff outlived", () => {
    expect(afterCompaction(null)).toBeNull();
    expect(inEach(afterCompaction)).toEqual({
      asked: null,
      stored: "as it is",
      clearing: "as it is",
      pending: aHandoff("pending", { outlived: true }),
      failed: aHandoff("failed", { outlived: true }),
      "taken-up": "as it is",
      cancelled: aHandoff("cancelled"),
    });
    const seen = { percent: 70, turns: 9 };
    expect(afterCompaction(aHandoff("cancelled", { seen }))).toEqual(aHandoff("cancelled"));
  });

  it("is a document that Baton wrote by itself, which outlives the request and its window", () => {
    const fromFacts = { documentPath: "/f.md", turns: 3 };
    const written = withFacts(aHandoff("asked", { number: 3 }), place, fromFacts, NOW);
    expect(written).toEqual(aHandoff("asked", { number: 3, fromFacts }));
    expect(asked(placeOf(written, null), NOW, { before: written })).toMatchObject({ number: 3, fromFacts });
    expect(documentOf(written)).toBe("/f.md");
    expect(afterCompaction(written)).toEqual(
      aHandoff("pending", {
        number: 3,
        documentPath: "/f.md",
        reason: COMPACTED,
        wentOn: true,
        outlived: true,
      }),
    );
    const unasked = { trigger: "overflow", unanswered: true, fromFacts };
    expect(withFacts(aHandoff("taken-up"), place, fromFacts, NOW)).toMatchObject({ ...unasked, number: 3 });
    expect(takenUp(written, { successor: "n", documentPath: "/f.md", at: NOW })).toEqual(
      aHandoff("taken-up", { number: 3, documentPath: "/f.md", successor: "n" }),
    );
  });

  it("is an agent that does not answer, which is asked again at the next level, or at once where it was interrupted", () => {
    const ignored = aHandoff("asked", { seen: { percent: 70, turns: 9 }, unanswered: true });
    expect([74.9, 75].map((percent) => isAskedAgainAt(ignored, percent))).toEqual([false, true]);
    expect(isAskedAgainAt(aHandoff("asked", { interrupted: true }), 1)).toBe(true);
    expect(statesThat((handoff) => isAskedAgainAt(handoff, 100))).toEqual(["cancelled"]);
  });

  it("is a person who does not want one that waits, which then is nobody's", () => {
    const after = dismissed(aHandoff("pending")) ?? null;
    expect([isForTheNext(after), isHandedOff(after)]).toEqual([false, false]);
    expect(inEach((handoff) => dismissed(handoff) ?? null)).toMatchObject({
      stored: null,
      clearing: null,
      asked: null,
    });
  });

  it("is a person who cancels it before it is passed on, and is asked again when the window is fuller", () => {
    const seen = { percent: 70, turns: 9 };
    const written = aHandoff("cancelled", { at: NOW, seen });
    const { documentPath: _none, ...unwritten } = { ...written, unwritten: true };
    expect(inEach((handoff) => cancelled(handoff, NOW, seen))).toEqual({
      asked: unwritten,
      stored: written,
      clearing: undefined,
      pending: undefined,
      failed: written,
      "taken-up": undefined,
      cancelled: undefined,
    });
    expect([74.9, 75].map((percent) => isAskedAgainAt(written, percent))).toEqual([false, true]);
    const second = aHandoff("asked", { number: 2, documentPath: "/one.md", trigger: "threshold" });
    const called = cancelled(second, NOW) ?? null;
    expect(documentOf(called)).toBeUndefined();
    expect(placeOf(called, null)).toMatchObject({ number: 2, previous: "/one.md", trigger: "manual" });
    expect(placeOf(cancelled(aHandoff("stored", { number: 2 }), NOW), null)).toMatchObject({
      number: 3,
      previous: "/d.md",
    });
  });

  it("is an agent that does not answer, which is said once", () => {
    const { asked: told, ...others } = inEach(leftUnanswered);
    expect(told).toEqual(aHandoff("asked", { unanswered: true }));
    expect(new Set(Object.values(others))).toEqual(new Set([undefined]));
    expect([null, aHandoff("asked", { unanswered: true })].map(leftUnanswered)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("a handoff is", () => {
  const gone = { wentOn: true } as const;

  it.each<[string, (handoff: SessionHandoff | null) => boolean, State[]]>([
    ["asked for", isAsked, ["asked"]],
    ["on its way", isOnItsWay, ["stored", "clearing"]],
    ["under way", isHandingOff, ["asked", "stored", "clearing"]],
    ["what a window is asked for once", isHandedOff, STATES],
    ["ready to be cleared", mayBeCleared, ["stored", "clearing", "failed"]],
    ["for the next session", isForTheNext, ["stored", "clearing", "pending"]],
    ["one that had an account", hasHadAccount, ["stored"]],
    ["one that the person went on from", hasGoneOn, []],
  ])("%s in these states and no others", (_what, is, states) => {
    expect(statesThat(is)).toEqual(states);
  });

  it("neither cleared nor given out where the person continued, and asked for again on its way", () => {
    const left = (["stored", "clearing", "pending", "failed", "taken-up"] as const).map((state) =>
      aHandoff(state, gone),
    );
    expect(left.map(hasGoneOn)).toEqual(left.map(() => true));
    expect(left.map(mayBeCleared)).toEqual(left.map(() => false));
    expect(left.map(isForTheNext)).toEqual(left.map(() => false));
    expect(left.map(isHandedOff)).toEqual([false, false, true, true, true]);
  });

  it("asked for again in the window after a compaction", () => {
    const outlived = (["clearing", "pending", "failed", "taken-up"] as const).map((state) =>
      aHandoff(state, { outlived: true }),
    );
    expect(outlived.map(isHandedOff)).toEqual(outlived.map(() => false));
  });

  it("the same request only at the same time", () => {
    const { at } = aHandoff("asked");
    expect(statesThat((handoff) => isAskedSince(handoff, at))).toEqual(["asked"]);
    expect([NOW, undefined].map((other) => isAskedSince(aHandoff("asked"), other))).toEqual([false, false]);
  });

  it("the same one by its number, whatever has become of it", () => {
    const begun = aHandoff("stored", { number: 2 });
    expect(STATES.filter((state) => isSameHandoff(aHandoff(state, { number: 2 }), begun))).toEqual(STATES);
    expect([null, aHandoff("stored")].map((other) => isSameHandoff(other, begun))).toEqual([false, false]);
  });

  it("cut off after a minute and a half", () => {
    const handoff = aHandoff("clearing", { at: NOW });
    expect(isCutOff(handoff, "2026-01-01T10:01:30.000Z")).toBe(false);
    expect(isCutOff(handoff, "2026-01-01T10:01:30.001Z")).toBe(true);
  });
});

it("is read as it was written, whatever has become of it", () => {
  type Step = (handoff: SessionHandoff | null) => SessionHandoff | null | undefined;
  const steps: Step[] = [
    (handoff) => asked(placeOf(handoff, null), NOW),
    (handoff) => askedAgain(placeOf(handoff, aHandoff("taken-up")), ["the goal"], NOW),
    (handoff) => stored(placeOf(handoff, null), "/d.md", NOW),
    (handoff) => stopped(placeOf(handoff, null), "/d.md", "a conflict", NOW),
    (handoff) => clearing(handoff, NOW, "next"),
    (handoff) => pending(handoff, "why", NOW),
    (handoff) => failed(handoff, "why", NOW),
    (handoff) => takenUp(handoff, { successor: "next", documentPath: "/d.md", at: NOW }),
    (handoff) => (mayBeCleared(handoff) ? wentOn(handoff) : undefined),
    leftUnanswered,
    afterPrompt,
    afterCompaction,
    dismissed,
    (handoff) => cancelled(handoff, NOW, { percent: 70, turns: 4 }),
    (handoff) => waiting(handoff, "dialog"),
    (handoff) => asked({ ...placeOf(handoff, null), atRest: true }, NOW),
    (handoff) => withFacts(handoff, placeOf(handoff, null), { documentPath: "/f.md", turns: 3 }, NOW),
    (handoff) => asked(placeOf(handoff, null), NOW, { seen: { percent: 70, turns: 4 }, before: handoff }),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 12 }), (course) => {
      let handoff: SessionHandoff | null = null;
      for (const step of course) {
        const after = step(handoff);
        if (after !== undefined) handoff = after;
        expect(handoffFrom(JSON.parse(JSON.stringify(handoff)))).toEqual(handoff);
      }
    }),
  );
});

it("says what it waits for while it is stored, and no longer", () => {
  const waits = waiting(aHandoff("stored"), "written");
  expect(waits).toMatchObject({ state: "stored", waitsFor: "written" });
  expect(handoffFrom(JSON.parse(JSON.stringify(waits)))).toEqual(waits);
  expect(handoffFrom({ ...waits, waitsFor: "rain" })).toEqual(aHandoff("stored"));
  for (const state of STATES)
    if (state !== "stored") expect(waiting(aHandoff(state), "written")).toBeUndefined();
  const by = { successor: "next", documentPath: "/d.md", at: NOW };
  for (const after of [clearing(waits, NOW), pending(waits, "why", NOW), takenUp(waits, by)])
    expect(after).not.toHaveProperty("waitsFor");
});

it("changes its state nowhere else than where its shape and its steps are", () => {
  const src = join(import.meta.dirname, "..", "..");
  const rooms = ["sessions", join("app", "sessions"), join("app", "handoffs"), "mcp", "cli"];
  const builds =
    /state: "(?:asked|stored|clearing|taken-up|pending|failed|cancelled)"|\.\.\.(?:\w+\??\.)*handoff\b/;
  const files = rooms
    .flatMap((room) =>
      readdirSync(join(src, room), { recursive: true, encoding: "utf8" }).map((name) => join(room, name)),
    )
    .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name));
  const found = files.filter((name) => builds.test(readFileSync(join(src, name), "utf8")));
  expect(found.sort()).toEqual(
    ["handoff-state.ts", "handoff.ts"].map((name) => join("sessions", "record", name)),
  );
});
