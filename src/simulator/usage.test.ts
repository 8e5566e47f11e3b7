import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "./request.ts";
import { measurePrompt, outputTokens, sumTokens, usageOf, windowOf } from "./usage.ts";

const MODEL = "claude-sonnet-4-5";

function prompt(...messages: [role: string, content: string][]): WireRequest {
  return {
    model: MODEL,
    system: "s".repeat(400),
    messages: messages.map(([role, content]) => ({ role, content })),
  };
}

function answered(...prompts: WireRequest[]): Set<string> {
  return new Set(prompts.flatMap((wire) => measurePrompt(wire, 1)).map(({ fingerprint }) => fingerprint));
}

describe("tokens sent", () => {
  it("grow by a quarter of the characters that a message adds", () => {
    const short = sumTokens(measurePrompt(prompt(["user", ""]), 1));
    const long = sumTokens(measurePrompt(prompt(["user", "x".repeat(4000)]), 1));
    expect(long - short).toBe(1000);
  });

  it("grow by the factor, for messages only", () => {
    const growth = (factor: number) =>
      sumTokens(measurePrompt(prompt(["user", "x".repeat(4000)]), factor)) -
      sumTokens(measurePrompt(prompt(["user", ""]), factor));
    expect(growth(30)).toBe(30_000);
    const bare = { ...prompt(), system: "s".repeat(4000) };
    expect(sumTokens(measurePrompt(bare, 30))).toBe(sumTokens(measurePrompt(bare, 1)));
  });

  it("count the program's own reminders and system messages without the factor", () => {
    const reminder = `<system-reminder>${"r".repeat(4000)}</system-reminder>`;
    const tokens = sumTokens(measurePrompt(prompt(["user", reminder], ["system", "e".repeat(4000)]), 100));
    expect(tokens).toBeLessThan(7000);
  });
});

describe("prompt caching", () => {
  const first = prompt(["user", "u".repeat(400)]);
  const second = prompt(["user", "u".repeat(400)], ["assistant", "a".repeat(400)], ["user", "r".repeat(400)]);

  it("writes a prompt that is new and reads the part that was sent before", () => {
    const fresh = usageOf(measurePrompt(first, 1), new Set(), 1);
    expect(fresh).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 0 });
    const next = usageOf(measurePrompt(second, 1), answered(first), 1);
    expect(next.cache_read_input_tokens).toBe(fresh.cache_creation_input_tokens);
    expect(next.cache_creation_input_tokens).toBeGreaterThan(200);
  });

  it("still knows a prompt whose cache marks and billing header have moved", () => {
    const text = { type: "text", text: "hello" };
    const billing = { type: "text", text: "x-anthropic-billing-header: cc_version=1;" };
    const before = { model: MODEL, system: [text], messages: [{ role: "user", content: "hello" }] };
    const marked = { ...text, cache_control: { type: "ephemeral" } };
    const after = {
      model: MODEL,
      system: [billing, marked],
      messages: [{ role: "user", content: [marked] }],
    };
    expect(usageOf(measurePrompt(after, 1), answered(before), 1).cache_creation_input_tokens).toBe(0);
  });

  it("reads nothing that follows a change", () => {
    const changed = prompt(["user", "other"], ["assistant", "a".repeat(400)], ["user", "r".repeat(400)]);
    const usage = usageOf(measurePrompt(changed, 1), answered(second), 1);
    expect(usage.cache_read_input_tokens).toBeLessThan(usage.cache_creation_input_tokens);
  });

  it("reports everything as plain input when it is off", () => {
    const parts = measurePrompt(second, 1);
    expect(usageOf(parts, undefined, 7)).toEqual({
      input_tokens: sumTokens(parts),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 7,
    });
  });

  it("never loses or invents a token", () => {
    const conversation = fc.array(fc.tuple(fc.constantFrom("user", "assistant"), fc.string()), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(conversation, conversation, fc.integer({ min: 1, max: 50 }), (sent, more, factor) => {
        const cached = new Set(measurePrompt(prompt(...sent), factor).map(({ fingerprint }) => fingerprint));
        const parts = measurePrompt(prompt(...sent, ...more), factor);
        const usage = usageOf(parts, cached, 1);
        const figures = [
          usage.input_tokens,
          usage.cache_creation_input_tokens,
          usage.cache_read_input_tokens,
        ];
        expect(figures.every((figure) => figure >= 0)).toBe(true);
        expect(figures.reduce((sum, figure) => sum + figure)).toBe(sumTokens(parts));
      }),
    );
  });
});

it("counts an answer as it will count when it is sent back", () => {
  expect(outputTokens({ say: "x".repeat(400), think: "y".repeat(400) }, 3)).toBe(600);
  expect(outputTokens({}, 3)).toBe(1);
});

it("knows the windows of the models", () => {
  expect(windowOf(MODEL, "")).toBe(200_000);
  expect(windowOf("claude-opus-5-5", "")).toBe(1_000_000);
  expect(windowOf(MODEL, "claude-code-20250219,context-1m-2025-08-07")).toBe(1_000_000);
});
