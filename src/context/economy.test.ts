import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenUsage } from "../agents/events.ts";
import type { Price } from "../agents/price.ts";
import { economicalTokens, USUAL_COSTS } from "./economy.ts";
import { type Pace, paceAfter, withNewSession } from "./pace.ts";
import { decide } from "./policy.ts";
import { initialContext } from "./tracker.ts";

const OPUS: Price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 };

/** A response to a prompt of which all that was sent before is in the cache. */
function usage(prompt: number, cached: number, more: Partial<TokenUsage> = {}): TokenUsage {
  return { input: 0, output: 300, cacheRead: cached, cacheWrite: prompt - cached, ...more };
}

interface Session {
  base?: number;
  turns?: number;
  growth?: number;
  hour?: boolean;
  isCold?: boolean;
}

function worked(
  { base = 40_000, turns = 20, growth = 1_500, hour, isCold }: Session = {},
  from?: Pace,
): Pace {
  let pace = withNewSession(from);
  let prompt = 0;
  for (let turn = 0; turn <= turns; turn++) {
    const next = turn === 0 ? base : prompt + growth;
    const cached = turn === 0 || isCold ? 0 : prompt;
    pace = paceAfter(pace, usage(next, cached, hour ? { cacheWriteHour: next - cached } : {}));
    prompt = next;
  }
  if (!pace) throw new Error("no response");
  return pace;
}

describe("the pace of a job", () => {
  it("adds up what its turns brought, over all of its sessions", () => {
    const first = worked({ turns: 10, growth: 1_000 });
    expect(first).toMatchObject({
      base: { tokens: 40_000, cached: 0 },
      turns: 10,
      growth: 10_000,
      misses: 0,
      here: { turns: 11, start: 40_000, prompt: 50_000 },
    });
    const second = worked({ base: 46_000, turns: 5, growth: 2_000 }, first);
    expect(second).toMatchObject({
      base: { tokens: 40_000 },
      continued: { tokens: 46_000 },
      turns: 15,
      growth: 20_000,
      here: { turns: 6, start: 46_000 },
    });
  });

  it("takes a smaller request for a compaction, and counts no growth there", () => {
    const pace = paceAfter(worked({ turns: 10, growth: 10_000 }), usage(45_000, 40_000));
    expect(pace).toMatchObject({ turns: 10, growth: 100_000, here: { prompt: 45_000, start: 45_000 } });
  });

  it("learns nothing from a response without a figure", () => {
    const pace = worked();
    expect(paceAfter(pace, undefined)).toBe(pace);
    expect(paceAfter(undefined, usage(0, 0))).toBeUndefined();
  });
});

describe("the economical moment for a handoff", () => {
  it("is where real sessions are cheapest: at 100 to 120 thousand tokens of 200 thousand", () => {
    const at = economicalTokens(worked(), OPUS);
    expect(at).toBeGreaterThan(95_000);
    expect(at).toBeLessThan(125_000);
  });

  it("comes later where a new cache costs more, and earlier where a full window does", () => {
    const usual = economicalTokens(worked(), OPUS) ?? 0;
    expect(economicalTokens(worked({ hour: true }), OPUS)).toBeGreaterThan(usual);
    expect(economicalTokens(worked(), { ...OPUS, cacheRead: 2 })).toBeLessThan(usual);
    expect(economicalTokens(worked({ isCold: true }), OPUS)).toBeLessThan(usual);
    expect(economicalTokens(worked(), OPUS, { ...USUAL_COSTS, rampUpTokens: 40_000 })).toBeGreaterThan(usual);
  });

  it("is not known before the first answer, nor where sending again costs nothing", () => {
    expect(economicalTokens(undefined, OPUS)).toBeUndefined();
    expect(economicalTokens(withNewSession(worked()), OPUS)).toBeUndefined();
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(economicalTokens(worked(), free)).toBeUndefined();
  });

  const prices = fc
    .tuple(fc.double({ min: 0.01, max: 20, noNaN: true }), fc.double({ min: 1, max: 60, noNaN: true }))
    .map(([read, factor]) => ({
      input: read * 10,
      output: read * 50,
      cacheRead: read,
      cacheWrite5m: read * factor,
      cacheWrite1h: read * factor * 1.6,
    }));
  const sessions = fc.record({
    base: fc.integer({ min: 1_000, max: 300_000 }),
    turns: fc.integer({ min: 0, max: 120 }),
    growth: fc.integer({ min: 0, max: 20_000 }),
    hour: fc.boolean(),
    isCold: fc.boolean(),
  });

  it("never comes before a session has had 15 turns and 30,000 tokens of work of its own", () => {
    fc.assert(
      fc.property(sessions, sessions, prices, (one, two, price) => {
        const pace = worked(two, worked(one));
        const at = economicalTokens(pace, price) ?? 0;
        const { prompt, output, start, turns } = pace.here ?? { prompt: 0, output: 0, start: 0, turns: 0 };
        expect(Number.isSafeInteger(at)).toBe(true);
        if (prompt + output >= at) {
          expect(turns).toBeGreaterThanOrEqual(15);
          expect(prompt + output - start).toBeGreaterThanOrEqual(30_000);
        }
      }),
    );
  });

  it("depends on the ratios of prices, not on what they are counted in", () => {
    fc.assert(
      fc.property(sessions, prices, fc.integer({ min: 2, max: 1_000 }), (session, price, factor) => {
        const dearer = {
          input: price.input * factor,
          output: price.output * factor,
          cacheRead: price.cacheRead * factor,
          cacheWrite5m: price.cacheWrite5m * factor,
          cacheWrite1h: price.cacheWrite1h * factor,
        };
        const pace = worked(session);
        const difference = (economicalTokens(pace, price) ?? 0) - (economicalTokens(pace, dearer) ?? 0);
        expect(Math.abs(difference)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("is at most the safe threshold, however cheap it is to go on", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000_000 }), (economicalAt) => {
        const context = {
          ...initialContext({ configuredWindow: 200_000 }),
          tokens: 180_000,
          turns: 40,
        };
        const policy = { threshold: { kind: "economical" as const }, economicalAt };
        expect(decide(context, policy, { handedOff: false, warned: [50, 60] })).toEqual({
          action: "hand-off",
          trigger: "threshold",
        });
      }),
    );
  });
});
