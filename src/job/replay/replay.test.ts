import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, TokenUsage } from "../../agents/events.ts";
import { USUAL_COSTS } from "../../context/economy.ts";
import type { JobEvent, JournalEvent } from "../events.ts";
import { handoffBill } from "./bill.ts";
import { happened, type ReplayPolicy, replay } from "./simulate.ts";
import { jobTrace, type Trace, transcriptTrace } from "./trace.ts";

const PRICE = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 };
const models = { priceOf: () => PRICE };
const terms = { models, costs: USUAL_COSTS, handoffMs: 20_000 };

function usage(prompt: number, cached: number, output = 100): TokenUsage {
  return { input: 0, output, cacheRead: cached, cacheWrite: prompt - cached };
}

/** A session that grows by these tokens, turn by turn. */
function session(growth: readonly number[], base = 40_000): Trace {
  let prompt = base;
  const turns = [{ model: "m", usage: usage(base, 0), tookMs: 1_000 }];
  for (const grown of growth) {
    turns.push({ model: "m", usage: usage(prompt + grown, prompt), tookMs: 1_000 });
    prompt += grown;
  }
  return { turns, accounts: [], window: 200_000 };
}

const at = (tokens: number): ReplayPolicy => ({ kind: "threshold", threshold: { kind: "tokens", tokens } });
const costOf = (trace: Trace, policy: ReplayPolicy) => replay(trace, policy, terms).costUsd ?? Number.NaN;

describe("a replay", () => {
  it("of a session as it happened comes to what it really cost", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 1, maxLength: 60 }), (growth) => {
        const trace = session(growth);
        const really = happened(trace, terms);
        expect(replay(trace, { kind: "as-happened" }, terms)).toEqual(really);
        expect(replay(trace, { kind: "never" }, terms).costUsd).toBeCloseTo(really.costUsd ?? 0, 9);
      }),
    );
  });

  it("hands off when a threshold is reached, not before, and never after the last turn", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 500, max: 4_000 }), { minLength: 20, maxLength: 150 }),
        fc.integer({ min: 100_000, max: 180_000 }),
        (growth, tokens) => {
          const { handoffs, peakTokens } = replay(session(growth), at(tokens), terms);
          expect(peakTokens).toBeLessThan(tokens + 4_200);
          if (peakTokens < tokens) expect(handoffs).toBe(0);
        },
      ),
    );
    expect(replay(session([70_000]), at(100_000), terms).handoffs).toBe(0);
  });

  it("shows that a long session is dearer at either end than between", () => {
    const trace = session(Array.from({ length: 200 }, () => 1_500));
    const [low, middle, high] = [70_000, 110_000, 180_000].map((tokens) => costOf(trace, at(tokens)));
    expect(middle).toBeLessThan(low ?? 0);
    expect(middle).toBeLessThan(high ?? 0);
    const economical = costOf(trace, { kind: "threshold", threshold: { kind: "economical" } });
    expect(economical).toBeLessThan((middle ?? 0) * 1.05);
  });

  it("pays for a cache that was lost, whichever window it was in", () => {
    const trace = session(Array.from({ length: 40 }, () => 1_000));
    const [, second] = trace.turns.slice(20);
    if (second) second.usage = usage(second.usage.cacheRead + second.usage.cacheWrite, 0);
    expect(costOf(trace, { kind: "as-happened" })).toBeCloseTo(happened(trace, terms).costUsd ?? 0, 9);
  });

  it("knows no cost where a model has no price, and no time where nobody tells one", () => {
    const unpriced = { ...terms, models: { priceOf: () => undefined } };
    const { turns, ...rest } = session([1_000, 1_000]);
    const trace = { ...rest, turns: turns.map(({ tookMs: _, ...turn }) => turn) };
    expect(replay(trace, at(100_000), unpriced)).toMatchObject({ costUsd: undefined, durationMs: undefined });
  });
});

describe("a trace", () => {
  it("of a transcript takes each response once, and knows a compaction", () => {
    const response = (id: string, prompt: number, output: number, at: string): AgentEvent => ({
      type: "response",
      id,
      model: "m",
      usage: usage(prompt, 0, output),
      at,
    });
    const events: AgentEvent[] = [
      response("a", 10_000, 1, "2026-01-01T00:00:00Z"),
      response("a", 10_000, 40, "2026-01-01T00:00:01Z"),
      { type: "response", id: "s", model: "m", usage: usage(90_000, 0), subagent: "x" },
      { type: "compaction:end", ok: true },
      response("b", 8_000, 5, "2026-01-01T00:00:30Z"),
    ];
    expect(transcriptTrace(events, 200_000).turns).toEqual([
      { model: "m", usage: usage(10_000, 0, 40) },
      { model: "m", usage: usage(8_000, 0, 5), tookMs: 30_000, after: "compaction" },
    ]);
  });

  it("of a job tells the account of a handoff from its work, and bills it", () => {
    const context = { tokens: 1, window: 200_000, percent: 0 };
    const response = (session: string, prompt: number, cached: number): JobEvent => ({
      type: "response",
      session,
      model: "m",
      usage: usage(prompt, cached),
      context,
    });
    const trace = jobTrace(
      journal([
        { type: "session:starting", session: "1", ordinal: 1, mode: "fresh" },
        response("1", 40_000, 0),
        response("1", 150_000, 40_000),
        { type: "handoff:asked", session: "1", handoffNumber: 1 },
        response("1", 151_000, 150_000),
        { type: "session:starting", session: "2", ordinal: 2, mode: "continuation" },
        response("2", 45_000, 20_000),
        ...Array.from({ length: 30 }, () => response("2", 46_000, 45_000)),
      ]),
    );
    expect(trace).toMatchObject({ window: 200_000, accounts: [{ usage: usage(151_000, 150_000) }] });
    expect(trace.turns.map(({ after }) => after).slice(0, 3)).toEqual([undefined, undefined, "handoff"]);
    const bill = handoffBill(trace, models);
    // The account: 150,000 read, 1,000 written, 100 said. The first request: 20,000 read, 25,000 written.
    expect(bill?.costUsd).toBeCloseTo(
      (150_000 * 0.5 + 1_000 * 6.25 + 100 * 25 + 20_000 * 0.5 + 25_000 * 6.25) / 1e6,
      9,
    );
    expect(bill?.savedUsd).toBeGreaterThan(1);
    expect(handoffBill(session([1_000]), models)).toBeUndefined();
  });
});

function journal(events: JobEvent[]): JournalEvent[] {
  return events.map((event, index) => ({
    ...event,
    job: "job",
    seq: index + 1,
    attempt: 1,
    at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
  }));
}
