import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Models } from "../agents/agent.ts";
import type { AgentEvent, ContextUsage, TokenUsage } from "../agents/events.ts";
import type { ContextState } from "./tracker.ts";
import {
  initialContext,
  pendingTokens,
  percentUsed,
  tokensInUse,
  track as trackWith,
  turnsLeft,
} from "./tracker.ts";

const SMALL = "small";
const LARGE = "large";
const WINDOWS = new Map([
  [SMALL, 200_000],
  [`${SMALL}[long]`, 1_000_000],
  [LARGE, 1_000_000],
]);

/** Models are spelled with a date or without, and can be asked for with a long window. */
const models: Models = {
  windowOf: (model) => WINDOWS.get(models.windowKey(model)),
  windowKey: (model) => model.replace(/-\d{8}/, ""),
  isSameModel: (one, other) => withoutLong(one) === withoutLong(other),
  priceOf: () => undefined,
};
const withoutLong = (model: string) => models.windowKey(model).replace("[long]", "");
const track = (state: ContextState, event: AgentEvent) => trackWith(state, event, models);

type Response = Extract<AgentEvent, { type: "response" }>;

/** A response after which the next request carries `tokens`. */
function createResponse(id: string, tokens: number, more: Partial<Response> = {}): Response {
  const usage: TokenUsage = { input: 0, cacheRead: tokens, cacheWrite: 0, output: 0 };
  return { type: "response", id, model: SMALL, usage, ...more };
}

function createContext(usage: Partial<ContextUsage>): AgentEvent {
  return { type: "context", usage: { tokens: 0, window: 200_000, autoCompact: false, ...usage } };
}

function createTurnEnd(windows: Record<string, number>): AgentEvent {
  return { type: "turn:end", outcome: { kind: "stopped" }, costUsd: 0, windows };
}

function createInit(model: string): AgentEvent {
  return { type: "init", sessionId: "s", model, program: "A program" };
}

function follow(events: AgentEvent[], state = initialContext({})): ContextState {
  return events.reduce((before, event) => track(before, event), state);
}

describe("tokens in use", () => {
  it("are all that was sent, cached or not, and the answer", () => {
    const usage = { input: 3, cacheRead: 150_000, cacheWrite: 10_000, output: 500 };
    const state = follow([createResponse("a", 0, { usage })]);
    expect(state.tokens).toBe(160_503);
    expect(percentUsed(state)).toBeCloseTo(80.25, 2);
  });

  it("count a response once, at its newest usage", () => {
    const state = follow([
      createResponse("a", 1_000),
      createResponse("b", 3_000),
      createResponse("b", 3_400),
    ]);
    expect(state).toMatchObject({ tokens: 3_400, turns: 2, growth: 2_400 });
  });

  it("keep their peak when they fall", () => {
    const state = follow([createResponse("a", 90_000), createResponse("b", 40_000)]);
    expect(state).toMatchObject({ tokens: 40_000, peak: 90_000 });
  });

  it("come from the live program until the first response tells better", () => {
    const live = follow([createContext({ tokens: 19_000 })]);
    expect(live.tokens).toBe(19_000);
    const state = follow([createResponse("a", 31_153), createContext({ tokens: 31_103 })], live);
    expect(state).toMatchObject({ tokens: 31_153, growth: undefined });
  });
});

describe("growth", () => {
  it("has no figure on the first response, also of a resumed session", () => {
    const state = follow([createResponse("a", 120_000)]);
    expect(state.growth).toBeUndefined();
    expect(turnsLeft(state)).toBeUndefined();
  });

  it("is the mean of the last five turns that grew", () => {
    const totals = [10_000, 90_000, 91_000, 93_000, 92_000, 95_000, 99_000, 104_000];
    const state = follow(totals.map((tokens, index) => createResponse(`r${index}`, tokens)));
    expect(state.growth).toBe((1_000 + 2_000 + 3_000 + 4_000 + 5_000) / 5);
    expect(turnsLeft(state)).toBe(32);
  });
});

describe("the window", () => {
  it("is the live program's before the table's before the configured one", () => {
    const configured = initialContext({ configuredWindow: 64_000 });
    expect(configured.window).toEqual({ tokens: 64_000, source: "configured" });
    const unknown = follow([createResponse("a", 1_000, { model: "glm-4.6" })], configured);
    expect(unknown.window).toEqual({ tokens: 64_000, source: "configured" });
    const table = follow([createInit(SMALL)], configured);
    expect(table.window).toEqual({ tokens: 200_000, source: "table" });
    const live = follow([createContext({ window: 150_000 })], table);
    expect(live.window).toEqual({ tokens: 150_000, source: "live" });
  });

  it("is live once a turn has ended", () => {
    const state = follow([createInit("glm-4.6"), createTurnEnd({ "glm-4.6": 128_000 })]);
    expect(state.window).toEqual({ tokens: 128_000, source: "live" });
  });

  it("said live before the model was named belongs to the model that is named first", () => {
    const state = follow([createContext({ window: 150_000 }), createInit(SMALL)]);
    expect(state.window).toEqual({ tokens: 150_000, source: "live" });
  });

  it("follows a model switch and forgets nothing when it switches back", () => {
    const asked = follow([
      createInit(SMALL),
      createContext({ window: 150_000, autoCompact: true, autoCompactThreshold: 117_000 }),
    ]);
    expect(asked.autoCompactThreshold).toBe(117_000);
    const large = follow([createResponse("a", 5_000, { model: LARGE })], asked);
    expect(large.window).toEqual({ tokens: 1_000_000, source: "table" });
    expect(large.autoCompactThreshold).toBeUndefined();
    const back = follow([createResponse("b", 5_000, { model: `${SMALL}-20250929` })], large);
    expect(back.window).toEqual({ tokens: 150_000, source: "live" });
    expect(back.autoCompactThreshold).toBe(117_000);
  });

  it("stays a million while responses name a [long] model without its suffix", () => {
    const response = createResponse("a", 300_000, { model: `${SMALL}-20250929` });
    const long = follow([createInit(`${SMALL}[long]`), response]);
    expect(long.window?.tokens).toBe(1_000_000);
    expect(percentUsed(long)).toBe(30);
    const ended = follow([createTurnEnd({ [`${SMALL}[long]`]: 1_000_000 }), createInit(SMALL)], long);
    expect(ended.window).toEqual({ tokens: 200_000, source: "table" });
  });

  it("keeps the compaction threshold when the end of a turn repeats the window", () => {
    const usage = { window: 200_000, autoCompact: true, autoCompactThreshold: 167_000 };
    const state = follow([createInit(SMALL), createContext(usage), createTurnEnd({ [SMALL]: 200_000 })]);
    expect(state.autoCompactThreshold).toBe(167_000);
  });

  it("has no compaction threshold while the agent's own compaction is off", () => {
    const state = follow([createInit(SMALL), createContext({ autoCompactThreshold: 167_000 })]);
    expect(state.autoCompactThreshold).toBeUndefined();
  });
});

const result = (output: string, more: { subagent?: string } = {}): AgentEvent => ({
  type: "tool:end",
  id: "t",
  ok: true,
  output,
  ...more,
});

describe("results of tools that no response has counted", () => {
  it("are estimated from their text, beside the exact figures", () => {
    const exact = follow([createResponse("a", 100_000)]);
    const state = follow([result("x".repeat(100_000)), result("y".repeat(100_000))], exact);
    expect(pendingTokens(exact)).toBe(0);
    expect(pendingTokens(state)).toBe(74_000);
    expect({ ...state, pending: undefined }).toEqual({ ...exact, pending: undefined });
    expect(percentUsed(state)).toBe(50);
  });

  it("are gone with the response that counts them, and with a compaction", () => {
    const before = [createResponse("a", 100_000), result("x".repeat(10_000))];
    expect(follow([...before, createResponse("b", 104_000)])).not.toHaveProperty("pending");
    expect(pendingTokens(follow([...before, { type: "compaction:end", ok: true, after: 3_000 }]))).toBe(0);
  });

  it("stay while more blocks of the response that called for them come in", () => {
    const state = follow([createResponse("a", 1_000), result("x".repeat(1_000)), createResponse("a", 1_200)]);
    expect(state).toMatchObject({ tokens: 1_200, turns: 1 });
    expect(pendingTokens(state)).toBe(370);
  });

  it("are weighed as the session's own were, once enough of them are known", () => {
    const counted = [createResponse("a", 1_000), result("x".repeat(4_000)), createResponse("b", 21_000)];
    expect(pendingTokens(follow([...counted, result("x".repeat(1_000))]))).toBe(5_000);
  });

  it("of a subagent are not in the window", () => {
    const state = follow([createResponse("a", 1_000)]);
    expect(track(state, result("x".repeat(1_000), { subagent: "s" }))).toBe(state);
  });
});

describe("a response of a program that tells no tokens by class", () => {
  const filled = (id: string, tokens: number, isEstimate?: true): AgentEvent => ({
    type: "response",
    id,
    model: SMALL,
    window: { tokens, ...(isEstimate && { isEstimate }) },
  });

  it("counts as what it says of the window, and as an estimate as long as it is one", () => {
    const reckoned = follow([filled("one", 10_000), filled("two", 14_000, true)]);
    expect(reckoned).toMatchObject({ tokens: 14_000, turns: 2, growth: 4_000, isEstimate: true });
    expect(follow([filled("three", 13_000)], reckoned)).not.toHaveProperty("isEstimate");
  });
});

describe("a response without a figure", () => {
  const nothing = { type: "response", id: "b", model: SMALL } as const;
  const known = follow([createResponse("a", 100_000), result("x".repeat(10_000))]);

  it("leaves what is known as it is", () => {
    const { isUnmeasured, ...state } = track(known, nothing);
    expect(isUnmeasured).toBe(true);
    expect(state).toEqual(known);
  });

  it("makes decisions go by an estimate until the next figure", () => {
    const said: AgentEvent = { type: "text", text: "z".repeat(10_000) };
    const state = follow([nothing, said, result("x".repeat(10_000))], known);
    expect(tokensInUse(state)).toBe(100_000 + 3 * 3_700);
    expect(state.peak).toBe(100_000);
    const told = follow([createResponse("c", 90_000)], state);
    expect(tokensInUse(told)).toBe(90_000);
    expect(told.isUnmeasured).toBeUndefined();
  });

  it("in a session that has none yet leaves it to what the live program says", () => {
    const state = follow([nothing, createContext({ tokens: 21_000 })]);
    expect(tokensInUse(state)).toBe(21_000);
  });
});

describe("compaction", () => {
  const full = follow([createResponse("a", 160_000), createResponse("b", 166_000)]);
  const compacting = track(full, { type: "compaction:start" });

  it("shows while it is going on", () => {
    expect(compacting).toMatchObject({ compacting: true, tokens: 166_000 });
  });

  it("lets the figure fall, and the next response is not growth", () => {
    const done = track(compacting, { type: "compaction:end", ok: true, before: 167_000, after: 3_000 });
    expect(done).toMatchObject({ compacting: false, tokens: 3_000, peak: 167_000 });
    expect(follow([createResponse("c", 32_000)], done)).toMatchObject({
      tokens: 32_000,
      growth: 6_000,
      turns: 3,
    });
  });

  it("leaves no figure from before when it does not say what is left", () => {
    expect(track(compacting, { type: "compaction:end", ok: true }).tokens).toBe(0);
  });

  it("is where the peak begins when nothing was seen before it", () => {
    expect(follow([{ type: "compaction:end", ok: true, after: 5_000 }])).toMatchObject({
      tokens: 5_000,
      peak: 5_000,
    });
  });

  it("changes nothing when it fails", () => {
    expect(track(compacting, { type: "compaction:end", ok: false })).toEqual(full);
  });

  it("is over at the latest when the turn is", () => {
    expect(track(compacting, createTurnEnd({})).compacting).toBe(false);
  });
});

describe("for any session", () => {
  const model = fc.constantFrom(SMALL, `${SMALL}-20250929`, LARGE, "glm-4.6");
  const tokens = fc.nat(2_000_000);
  const usage = fc.record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens });
  const id = fc.constantFrom("a", "b", "c", "d");
  const response = fc.record({ type: fc.constant("response" as const), id, model, usage });
  const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
    { weight: 4, arbitrary: response },
    model.map(createInit),
    fc
      .record({ tokens, window: fc.integer({ min: 1, max: 2_000_000 }), autoCompact: fc.boolean() })
      .map(createContext),
    fc.constant<AgentEvent>({ type: "compaction:start" }),
    fc.record({ type: fc.constant("compaction:end" as const), ok: fc.boolean(), after: tokens }),
    fc.dictionary(model, fc.integer({ min: 1, max: 2_000_000 })).map(createTurnEnd),
  );
  const session = fc.array(anyEvent, { maxLength: 30 });

  it("subagents, answers without a figure, results and other events move no exact figure", () => {
    const noise: fc.Arbitrary<AgentEvent> = fc.oneof(
      response.map((event) => ({ ...event, subagent: "x" })),
      response.map((event) => ({ ...event, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } })),
      fc.constant<AgentEvent>({ type: "text", text: "hello" }),
      fc.constant<AgentEvent>({ type: "tool:end", id: "t", ok: true, output: "x".repeat(1_000) }),
    );
    fc.assert(
      fc.property(session, noise, (events, event) => {
        const state = follow(events);
        const { pending: _, isUnmeasured: __, ...exact } = track(state, event);
        const { pending: ___, isUnmeasured: ____, ...before } = state;
        expect(exact).toEqual(before);
      }),
    );
  });

  it("repeated blocks of a response leave the state as it is", () => {
    fc.assert(
      fc.property(session, response, fc.integer({ min: 1, max: 5 }), (events, event, times) => {
        const once = follow([...events, event]);
        expect(follow(Array(times).fill(event), once)).toBe(once);
      }),
    );
  });

  it("a response that grows block by block ends where its last block alone would", () => {
    fc.assert(
      fc.property(session, fc.array(response, { minLength: 1, maxLength: 5 }), (events, blocks) => {
        const start = follow(events);
        const oneModel = blocks.map((block) => ({ ...block, id: "new", model: LARGE }));
        const { peak: _, ...inBlocks } = follow(oneModel, start);
        const sized = oneModel.filter((block) => Object.values(block.usage).some((count) => count > 0));
        const { peak: __, ...atOnce } = follow(sized.slice(-1), start);
        expect(inBlocks).toEqual(atOnce);
      }),
    );
  });

  it("all figures stay within their bounds", () => {
    fc.assert(
      fc.property(session, (events) => {
        const state = follow(events);
        expect(state.peak).toBeGreaterThanOrEqual(
          state.tokens === 0 ? 0 : Math.min(state.tokens, state.peak),
        );
        expect(percentUsed(state) ?? 0).toBeGreaterThanOrEqual(0);
        expect(percentUsed(state) ?? 0).toBeLessThanOrEqual(100);
        expect(turnsLeft(state) ?? 0).toBeGreaterThanOrEqual(0);
        expect(state.growth ?? 1).toBeGreaterThan(0);
      }),
    );
  });
});
