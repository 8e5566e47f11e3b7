import { expect, it } from "vitest";
import { type Dialect, doorTo } from "./dialects.ts";

const MILLION = 1_000_000;
const priceOf = (model: string) =>
  model === "m" ? { input: 4, output: 8, cacheRead: 1, cacheWrite5m: 2, cacheWrite1h: 2 } : undefined;
const door = (dialect: Dialect) =>
  doorTo(dialect, { upstream: "http://models.example", key: "sk-1", priceOf });

/** Four times two million tokens, of which one was cached, and one of an answer: what is counted twice shows. */
const answers: Record<Dialect, { whole: object; events: object[] }> = {
  messages: {
    whole: {
      model: "m",
      usage: { input_tokens: MILLION, cache_read_input_tokens: MILLION, output_tokens: MILLION },
    },
    events: [
      {
        type: "message_start",
        message: {
          model: "m",
          usage: { input_tokens: MILLION, cache_read_input_tokens: MILLION, output_tokens: 1 },
        },
      },
      { type: "content_block_delta", delta: { text: "usage" } },
      { type: "message_delta", usage: { output_tokens: MILLION } },
    ],
  },
  responses: {
    whole: {
      model: "m",
      usage: {
        input_tokens: 2 * MILLION,
        input_tokens_details: { cached_tokens: MILLION },
        output_tokens: MILLION,
      },
    },
    events: [
      { type: "response.created", response: { model: "m", usage: null } },
      {
        type: "response.completed",
        response: {
          model: "m",
          usage: {
            input_tokens: 2 * MILLION,
            input_tokens_details: { cached_tokens: MILLION },
            output_tokens: MILLION,
          },
        },
      },
    ],
  },
  completions: {
    whole: {
      model: "m",
      usage: {
        prompt_tokens: 2 * MILLION,
        prompt_tokens_details: { cached_tokens: MILLION },
        completion_tokens: MILLION,
      },
    },
    events: [
      { model: "m", choices: [{ delta: { content: "Hello" } }], usage: null },
      {
        model: "m",
        choices: [],
        usage: {
          prompt_tokens: 2 * MILLION,
          prompt_tokens_details: { cached_tokens: MILLION },
          completion_tokens: MILLION,
        },
      },
    ],
  },
  gemini: {
    whole: {
      modelVersion: "m",
      usageMetadata: {
        promptTokenCount: 2 * MILLION,
        cachedContentTokenCount: MILLION,
        candidatesTokenCount: MILLION,
      },
    },
    events: [
      { modelVersion: "m", usageMetadata: { promptTokenCount: 2 * MILLION, candidatesTokenCount: 1 } },
      {
        modelVersion: "m",
        usageMetadata: {
          promptTokenCount: 2 * MILLION,
          cachedContentTokenCount: MILLION,
          candidatesTokenCount: MILLION / 2,
          thoughtsTokenCount: MILLION / 2,
        },
      },
    ],
  },
};

it.each(Object.keys(answers) as Dialect[])(
  "counts what an answer in %s cost, however it comes",
  (dialect) => {
    const { whole, events } = answers[dialect];
    const streamed = events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const texts = [
      JSON.stringify(whole),
      JSON.stringify(whole, undefined, 2),
      `${JSON.stringify([whole], undefined, 2)}\n`,
      streamed,
    ];
    for (const text of texts) {
      for (const size of [1, 7, text.length]) {
        const meter = door(dialect).meter();
        for (let at = 0; at < text.length; at += size) meter.read(text.slice(at, at + size));
        expect(meter.costUsd).toBe(13);
      }
    }
  },
);

it("counts nothing for a model without a price, and for what is no answer", () => {
  const meter = door("messages").meter();
  meter.read(`{"model":"other","usage":{"input_tokens":${MILLION}}}`);
  expect(meter.costUsd).toBe(0);
  const odd = door("gemini").meter();
  odd.read('data: {"usageMetadata":"much"}\ndata: [1, null]\n<html>');
  expect(odd.costUsd).toBe(0);
});

it.each([
  ["messages", { "x-api-key": "sk-1" }],
  ["responses", { authorization: "Bearer sk-1" }],
  ["completions", { authorization: "Bearer sk-1" }],
  ["gemini", { "x-goog-api-key": "sk-1" }],
] as const)("signs in to %s as its programs do", (dialect, headers) => {
  expect(door(dialect)).toMatchObject({ headers });
  expect(JSON.parse(door(dialect).refusal("No."))).toMatchObject({ error: { message: "No." } });
});
