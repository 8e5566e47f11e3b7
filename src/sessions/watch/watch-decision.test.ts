import { describe, expect, it } from "vitest";
import { aHandoff, type State } from "../../../test/a-handoff.ts";
import type { SessionHandoff } from "../record/handoff-state.ts";
import { type ContextFigure, newSession, type OwnSession } from "../record/session.ts";
import { isOpen, type Sight, type WatchSettings, watchDecision } from "./watch-decision.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const MINUTE = 60_000;

const settings: WatchSettings = {
  enabled: true,
  threshold: { kind: "remaining", fraction: 0.1 },
  warnAt: [50, 60],
  stallMs: 15 * MINUTE,
  orchestrator: {
    checkIntervalMs: 10 * MINUTE,
    message: "Check.",
    threshold: { kind: "tokens", tokens: 100_000 },
  },
};

function own(more: Partial<OwnSession> = {}): OwnSession {
  return newSession({
    id: "one",
    cwd: "/project",
    project: "/project",
    pane: { socket: "/tmp/socket", id: "%1" },
    startedAt: ago(60 * MINUTE),
    seenAt: ago(0),
    ...more,
  });
}

function sight(more: Partial<Sight> = {}): Sight {
  return {
    session: own(),
    alive: true,
    figure: null,
    compactsAt: undefined,
    hooksMissing: false,
    owedSince: undefined,
    checkedAt: undefined,
    stallToldAt: undefined,
    cycledAt: undefined,
    fullTold: false,
    answered: false,
    ...more,
  };
}

const full = (tokens: number, source: ContextFigure["source"] = "transcript"): ContextFigure => ({
  tokens,
  window: 200_000,
  percent: tokens / 2_000,
  turns: 9,
  source,
});

const handoff = (state: State, ms: number) => aHandoff(state, { at: ago(ms) });

const acts = (given: Partial<Sight>, more: Partial<WatchSettings> = {}) =>
  watchDecision(sight(given), { ...settings, ...more }, NOW).map(({ act }) => act);

describe("a session that is well", () => {
  it("is left alone, however full it is: its hooks see to that", () => {
    expect(acts({ figure: full(120_000) })).toEqual([]);
    expect(acts({ figure: full(190_000) })).toEqual([]);
    expect(acts({})).toEqual([]);
  });

  it("is recorded as ended once its process is gone", () => {
    expect(acts({ alive: false })).toEqual(["end"]);
  });
});

describe("a session without hooks that does not answer", () => {
  const ignored = (more: object) => {
    const handoff = aHandoff("asked", { at: ago(5 * MINUTE), seen: { percent: 70, turns: 8 }, ...more });
    return { hooksMissing: true, compactsAt: 167_000, session: own({ handoff }) };
  };
  const threshold = { kind: "used", percent: 70 } as const;

  it("is asked again at the next level, once it has had its turn", () => {
    expect(acts({ ...ignored({}), figure: full(148_000) }, { threshold })).toEqual([]);
    expect(acts({ ...ignored({}), figure: full(150_000) }, { threshold })).toEqual(["ask"]);
    expect(acts({ ...ignored({}), figure: full(150_000), owedSince: NOW }, { threshold })).toEqual([]);
    expect(acts({ ...ignored({ at: ago(1_000) }), figure: full(150_000) }, { threshold })).toEqual([]);
    expect(acts({ ...ignored({}), hooksMissing: false, figure: full(150_000) }, { threshold })).toEqual([]);
  });

  it("gets its document from facts one turn before it is compacted, once", () => {
    expect(acts({ ...ignored({}), figure: full(165_000) }, { threshold })).toEqual(["facts"]);
    const fromFacts = { documentPath: "/f.md", turns: 9 };
    const seen = { percent: 82, turns: 9 };
    expect(acts({ ...ignored({ fromFacts, seen }), figure: full(165_000) }, { threshold })).toEqual([]);
  });
});

describe("a session whose hooks are missing", () => {
  it("is warned at each level once, and asked for a handoff at the threshold", () => {
    const missing = { hooksMissing: true };
    expect(acts({ ...missing, figure: full(105_000) })).toEqual(["warn"]);
    expect(acts({ ...missing, figure: full(105_000), session: own({ warned: [50] }) })).toEqual([]);
    expect(acts({ ...missing, figure: full(185_000) })).toEqual(["ask"]);
    expect(acts({ ...missing, figure: full(185_000, "estimate") })).toEqual(["ask"]);
  });

  it("is asked before the agent program would compact it by itself", () => {
    const given = { hooksMissing: true, figure: full(165_000), session: own({ warned: [50, 60] }) };
    expect(acts(given)).toEqual([]);
    expect(acts({ ...given, compactsAt: 167_000 })).toEqual(["ask"]);
  });

  it("is asked again where the person went on before it was cleared, and is not cleared for what is outdated", () => {
    const stored = aHandoff("stored", { at: ago(60 * MINUTE), wentOn: true });
    const session = own({ warned: [50, 60], handoff: stored });
    expect(acts({ hooksMissing: true, figure: full(185_000), session })).toEqual(["ask"]);
  });

  it("is asked again once it has filled the window after a compaction", () => {
    const session = own({ warned: [50, 60], handoff: handoff("pending", 60 * MINUTE) });
    const given = { hooksMissing: true, figure: full(185_000), session };
    expect(acts(given)).toEqual([]);
    const outlived = aHandoff("pending", { at: ago(60 * MINUTE), outlived: true });
    expect(acts({ ...given, session: { ...session, handoff: outlived } })).toEqual(["ask"]);
  });

  it("is asked also where hooks run and cannot see how full it is", () => {
    expect(acts({ figure: full(185_000, "status-line") })).toEqual(["ask"]);
    expect(acts({ figure: full(105_000, "estimate") })).toEqual(["warn"]);
  });

  it("is told of, once, where nothing can be typed into it", () => {
    const given = { hooksMissing: true, figure: full(185_000), session: own({ pane: null }) };
    expect(acts(given)).toEqual(["full"]);
    expect(acts({ ...given, fullTold: true })).toEqual([]);
  });

  it("is asked once", () => {
    const session = own({ handoff: handoff("asked", 5_000) });
    expect(acts({ hooksMissing: true, figure: full(185_000), session })).toEqual([]);
  });

  it("has its answer stored where it has no tool to hand it in", () => {
    const session = own({ handoff: handoff("asked", 5_000) });
    expect(acts({ answered: true, session })).toEqual(["store"]);
  });

  it("is not asked where handoffs are off", () => {
    expect(acts({ hooksMissing: true, figure: full(185_000) }, { enabled: false })).toEqual([]);
  });
});

describe("a handoff that nobody continued", () => {
  it.each(["stored", "clearing"] as const)("is continued when it is %s and not new", (state) => {
    expect(acts({ session: own({ handoff: handoff(state, MINUTE) }) })).toEqual(["cycle"]);
    expect(acts({ session: own({ handoff: handoff(state, 1_000) }) })).toEqual([]);
  });

  it("is continued also where its session has ended", () => {
    const ended = { at: ago(MINUTE), reason: "clear" };
    expect(acts({ session: own({ ended, handoff: handoff("clearing", MINUTE) }) })).toEqual(["cycle"]);
    expect(acts({ session: own({ handoff: handoff("stored", MINUTE) }), alive: false })).toEqual([
      "end",
      "cycle",
    ]);
  });

  it("is tried again only after a while", () => {
    const session = own({ handoff: handoff("stored", 10 * MINUTE) });
    expect(acts({ session, cycledAt: NOW - 5_000 })).toEqual([]);
    expect(acts({ session, cycledAt: NOW - 5 * MINUTE })).toEqual(["cycle"]);
  });

  it("is left to the person where it waits for one", () => {
    expect(acts({ session: own({ handoff: handoff("pending", 10 * MINUTE) }) })).toEqual([]);
    expect(acts({ session: own({ handoff: handoff("failed", 10 * MINUTE) }) })).toEqual([]);
  });
});

describe("a session that has ended", () => {
  const ended = { at: ago(MINUTE), reason: "clear" };
  const isFollowed = (handoff: SessionHandoff | null) => isOpen(own({ ended, handoff }), NOW);

  it("is followed while its handoff is on its way, and no longer", () => {
    expect(isFollowed(handoff("stored", 60 * MINUTE))).toBe(true);
    expect(isFollowed(handoff("clearing", 60 * MINUTE))).toBe(true);
    expect(isFollowed(handoff("taken-up", MINUTE))).toBe(true);
    expect(isFollowed(handoff("taken-up", 60 * MINUTE))).toBe(false);
    expect(isFollowed(handoff("pending", MINUTE))).toBe(false);
    expect(isFollowed(null)).toBe(false);
  });
});

describe("an orchestrator", () => {
  const role = "orchestrator" as const;

  it("is sent a message at its interval", () => {
    expect(acts({ session: own({ role }), figure: full(50_000) })).toEqual(["check"]);
    expect(acts({ session: own({ role }), figure: full(50_000), checkedAt: NOW - MINUTE })).toEqual([]);
    expect(acts({ session: own({ role, startedAt: ago(MINUTE) }) })).toEqual([]);
    expect(acts({ session: own() })).toEqual([]);
  });

  it("is asked for a handoff first when it is over its threshold", () => {
    expect(acts({ session: own({ role }), figure: full(101_000) })).toEqual(["ask"]);
  });

  it("is sent nothing while it hands off", () => {
    for (const state of ["asked", "stored", "clearing"] as const) {
      const session = own({ role, handoff: handoff(state, 1_000) });
      expect(acts({ session, figure: full(101_000) })).toEqual([]);
    }
  });

  it("is sent nothing where no interval is set", () => {
    const { checkIntervalMs: _none, ...orchestrator } = settings.orchestrator;
    expect(acts({ session: own({ role }), figure: full(50_000) }, { orchestrator })).toEqual([]);
  });
});

describe("a session that should work and shows no sign of life", () => {
  it("is told of once", () => {
    const owedSince = NOW - 20 * MINUTE;
    expect(acts({ owedSince })).toEqual(["stalled"]);
    expect(acts({ owedSince, stallToldAt: NOW - MINUTE })).toEqual([]);
    expect(acts({ owedSince: NOW - MINUTE })).toEqual([]);
  });
});
