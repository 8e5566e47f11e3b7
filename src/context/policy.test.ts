import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Threshold } from "../config/reader/threshold.ts";
import type { HandoffPolicy, PolicyHistory } from "./policy.ts";
import { decide, thrash, triggerTokens } from "./policy.ts";
import type { ContextState } from "./tracker.ts";
import { initialContext } from "./tracker.ts";

const TENTH_LEFT: HandoffPolicy = { threshold: { kind: "remaining", fraction: 0.1 } };
const NOTHING_YET: PolicyHistory = { handedOff: false, warned: [] };

function createState(tokens: number, more: Partial<ContextState> = {}): ContextState {
  return { ...initialContext({ configuredWindow: 200_000 }), tokens, ...more };
}

const noWindow = { window: undefined };

describe("the trigger", () => {
  it.each<[Threshold, number]>([
    [{ kind: "remaining", fraction: 0.1 }, 180_000],
    [{ kind: "used", percent: 70 }, 140_000],
    [{ kind: "tokens", tokens: 100_000 }, 100_000],
    [{ kind: "tokens", tokens: 900_000 }, 200_000],
  ])("of %j in a 200,000 window is %i", (threshold, tokens) => {
    expect(triggerTokens(createState(0), { threshold })).toBe(tokens);
  });

  it("needs a window unless it is a token count", () => {
    expect(triggerTokens(createState(0, noWindow), TENTH_LEFT)).toBeUndefined();
    expect(triggerTokens(createState(0, noWindow), { threshold: { kind: "tokens", tokens: 5_000 } })).toBe(
      5_000,
    );
  });

  it("stays 2 % below the agent's own compaction, or one turn where turns are bigger", () => {
    const slow = createState(0, { autoCompactThreshold: 167_000, growth: 500 });
    expect(triggerTokens(slow, TENTH_LEFT)).toBe(163_660);
    const fast = createState(0, { autoCompactThreshold: 167_000, growth: 10_000 });
    expect(triggerTokens(fast, TENTH_LEFT)).toBe(157_000);
  });

  it("is not pulled down to nothing by one huge turn", () => {
    const state = createState(0, { autoCompactThreshold: 167_000, growth: 160_000 });
    expect(triggerTokens(state, TENTH_LEFT)).toBe(83_500);
  });

  it("is left alone where it is far below compaction anyway", () => {
    const state = createState(0, { autoCompactThreshold: 167_000 });
    expect(triggerTokens(state, { threshold: { kind: "tokens", tokens: 90_000 } })).toBe(90_000);
  });
});

describe("handing off", () => {
  it("happens when what is in use reaches the trigger", () => {
    expect(decide(createState(180_000), TENTH_LEFT, NOTHING_YET)).toEqual({
      action: "hand-off",
      trigger: "threshold",
    });
    expect(decide(createState(179_999), TENTH_LEFT, { ...NOTHING_YET, warned: [60] })).toEqual({
      action: "none",
    });
  });

  it("happens early when the results of this turn, the next turn and the handoff would not fit", () => {
    const growth = 50_000;
    expect(decide(createState(92_001, { growth }), TENTH_LEFT, NOTHING_YET)).toEqual({
      action: "hand-off",
      trigger: "forecast",
    });
    expect(decide(createState(92_000, { growth }), TENTH_LEFT, NOTHING_YET)).toEqual({
      action: "none",
    });
  });

  it("keeps at most 5 % of a small window free for writing", () => {
    const late: HandoffPolicy = { threshold: { kind: "used", percent: 99 } };
    const small = initialContext({ configuredWindow: 20_000 });
    expect(decide({ ...small, tokens: 19_000 }, late, { handedOff: false, warned: [60] }).action).toBe(
      "none",
    );
    expect(decide({ ...small, tokens: 19_001 }, late, NOTHING_YET).action).toBe("hand-off");
  });

  it("waits for a figure, however fast the window filled before", () => {
    expect(decide(createState(0, { growth: 199_000 }), TENTH_LEFT, NOTHING_YET)).toEqual({ action: "none" });
  });

  it("without a window goes by a token count only", () => {
    const state = createState(500_000, { ...noWindow, growth: 100_000 });
    const counted: HandoffPolicy = { threshold: { kind: "tokens", tokens: 400_000 } };
    expect(decide(state, counted, NOTHING_YET).action).toBe("hand-off");
    expect(decide(state, TENTH_LEFT, NOTHING_YET)).toEqual({ action: "none" });
    expect(decide(state, { threshold: { kind: "used", percent: 1 } }, NOTHING_YET)).toEqual({
      action: "none",
    });
  });
});

describe("warnings", () => {
  it("come at 50 and 60 per cent, each once", () => {
    expect(decide(createState(99_999), TENTH_LEFT, NOTHING_YET)).toEqual({ action: "none" });
    expect(decide(createState(100_000), TENTH_LEFT, NOTHING_YET)).toEqual({ action: "warn", level: 50 });
    expect(decide(createState(110_000), TENTH_LEFT, { handedOff: false, warned: [50] })).toEqual({
      action: "none",
    });
    expect(decide(createState(120_000), TENTH_LEFT, { handedOff: false, warned: [50] })).toEqual({
      action: "warn",
      level: 60,
    });
  });

  it("skip a level that was passed in the same step, for good", () => {
    expect(decide(createState(150_000), TENTH_LEFT, NOTHING_YET)).toEqual({ action: "warn", level: 60 });
    expect(decide(createState(110_000), TENTH_LEFT, { handedOff: false, warned: [60] })).toEqual({
      action: "none",
    });
  });

  it("come at the levels that the user chose", () => {
    const policy = { ...TENTH_LEFT, warnAt: [75] };
    expect(decide(createState(149_000), policy, NOTHING_YET)).toEqual({ action: "none" });
    expect(decide(createState(150_000), policy, NOTHING_YET)).toEqual({ action: "warn", level: 75 });
  });
});

describe("the guard against thrash", () => {
  it("stops a session that starts above half of its trigger, and says why and what to do", () => {
    expect(thrash({ at: "first-response", tokens: 90_000, trigger: 180_000 })).toEqual({ thrash: false });
    const verdict = thrash({ at: "first-response", tokens: 90_001, trigger: 180_000 });
    expect(verdict).toMatchObject({ thrash: true, message: expect.stringContaining("90,001 tokens") });
    expect(verdict).toMatchObject({ message: expect.stringContaining("180,000") });
    expect(verdict).toMatchObject({ message: expect.stringContaining("session.context_threshold") });
  });

  it("stops handoffs with fewer than three turns between them", () => {
    expect(thrash({ at: "handoff", turnsSinceLast: 3 })).toEqual({ thrash: false });
    const verdict = thrash({ at: "handoff", turnsSinceLast: 2 });
    expect(verdict).toMatchObject({ thrash: true, message: expect.stringContaining("2 turns") });
    expect(verdict).toMatchObject({ message: expect.stringContaining("baton resume") });
  });
});

describe("for any state and policy", () => {
  const tokens = fc.integer({ min: 1, max: 1_200_000 });
  const optional = (arbitrary: fc.Arbitrary<number>) => fc.option(arbitrary, { nil: undefined });
  const state = fc
    .record({
      tokens,
      size: optional(fc.constantFrom(20_000, 200_000, 1_000_000)),
      growth: optional(fc.integer({ min: 1, max: 400_000 })),
      autoCompactThreshold: optional(fc.integer({ min: 10_000, max: 967_000 })),
    })
    .map(({ size, ...rest }): ContextState => {
      const window = size === undefined ? undefined : { tokens: size, source: "live" as const };
      return { ...initialContext({}), ...rest, window };
    });
  const threshold: fc.Arbitrary<Threshold> = fc.oneof(
    fc.record({
      kind: fc.constant("remaining" as const),
      fraction: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
    }),
    fc.record({ kind: fc.constant("tokens" as const), tokens: fc.integer({ min: 1_000, max: 2_000_000 }) }),
    fc.record({ kind: fc.constant("used" as const), percent: fc.integer({ min: 1, max: 99 }) }),
  );
  const policy = fc.record({ threshold, handoffTokens: fc.integer({ min: 0, max: 50_000 }) });
  const warned = fc.subarray([50, 60]);

  it("nothing happens during compaction or after a handoff", () => {
    fc.assert(
      fc.property(state, policy, warned, (now, chosen, told) => {
        const compacting = { ...now, compacting: true };
        expect(decide(compacting, chosen, { handedOff: false, warned: told })).toEqual({ action: "none" });
        expect(decide(now, chosen, { handedOff: true, warned: told })).toEqual({ action: "none" });
      }),
    );
  });

  it("more tokens never turn a handoff into none", () => {
    fc.assert(
      fc.property(state, policy, tokens, (now, chosen, more) => {
        fc.pre(decide(now, chosen, NOTHING_YET).action === "hand-off");
        const fuller = { ...now, tokens: now.tokens + more };
        expect(decide(fuller, chosen, NOTHING_YET).action).toBe("hand-off");
      }),
    );
  });

  it("the trigger is below the agent's own compaction and above nothing", () => {
    fc.assert(
      fc.property(state, policy, (now, chosen) => {
        const trigger = triggerTokens(now, chosen);
        fc.pre(trigger !== undefined);
        expect(trigger).toBeGreaterThan(0);
        expect(trigger).toBeLessThan(now.autoCompactThreshold ?? Number.POSITIVE_INFINITY);
        expect(trigger).toBeLessThanOrEqual(now.window?.tokens ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("a window without room for another turn always hands off", () => {
    fc.assert(
      fc.property(state, policy, (now, chosen) => {
        fc.pre(now.window !== undefined && now.tokens + (now.growth ?? 0) > now.window.tokens);
        expect(decide(now, chosen, NOTHING_YET).action).toBe("hand-off");
      }),
    );
  });

  it("a warning is a level that was reached, told once, and never a lower one after a higher", () => {
    const late: HandoffPolicy = { threshold: { kind: "used", percent: 99 }, warnAt: [20, 40, 60, 80] };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 189_000 })), (figures) => {
        const told: number[] = [];
        for (const figure of figures) {
          const decision = decide(createState(figure), late, { handedOff: false, warned: told });
          if (decision.action === "warn") told.push(decision.level);
        }
        const highest = Math.max(0, ...figures) / 2_000;
        expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
        expect(told.at(-1)).toBe(late.warnAt?.findLast((level) => level <= highest));
      }),
    );
  });
});
