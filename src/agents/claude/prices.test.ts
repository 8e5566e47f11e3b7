import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listCost, listPrices } from "./prices.ts";

const plain = { fast: false, usOnly: false, webSearches: 0 };
const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const M = 1_000_000;

describe("the price of a response", () => {
  it.each([
    ["input", { input: M }, 5],
    ["output", { output: M }, 25],
    ["what is read from the cache", { cacheRead: M }, 0.5],
    ["what is written to the cache for five minutes", { cacheWrite: M }, 6.25],
    ["what is written to the cache for an hour", { cacheWrite: M, cacheWriteHour: M }, 10],
    ["both kinds of cache writes", { cacheWrite: M, cacheWriteHour: M / 2 }, 8.125],
  ])("counts %s", (_, usage, usd) => {
    expect(listCost("claude-opus-4-5", { ...nothing, ...usage }, plain)).toBeCloseTo(usd, 9);
  });

  it("is the same for all spellings of a model", () => {
    const usage = { ...nothing, input: M };
    for (const model of [
      "claude-sonnet-4-5-20250929",
      "claude-sonnet-4-5[1m]",
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "claude-sonnet-4-5@20250929",
    ]) {
      expect(listCost(model, usage, plain)).toBeCloseTo(3, 9);
    }
  });

  it("is another for a long prompt, in fast mode and in the United States", () => {
    const haiku = (cacheRead: number) => listCost("claude-haiku-5-5", { ...nothing, cacheRead }, plain);
    expect(haiku(100_000)).toBeCloseTo(0.001, 9);
    expect(haiku(100_001)).toBeCloseTo(0.005, 6);
    const opus = (terms: Partial<typeof plain>) =>
      listCost("claude-opus-5-5", { ...nothing, input: M }, { ...plain, ...terms });
    expect(opus({})).toBeCloseTo(4, 9);
    expect(opus({ fast: true })).toBeCloseTo(8, 9);
    expect(opus({ usOnly: true, webSearches: 2 })).toBeCloseTo(4.42, 9);
  });

  it("is not known for an unknown model, for a mode without a price, and without any tokens", () => {
    const usage = { ...nothing, input: M };
    expect(listCost("claude-next-9", usage, plain)).toBeUndefined();
    expect(listCost("claude-sonnet-4-5", usage, { ...plain, fast: true })).toBeUndefined();
    expect(listCost("claude-sonnet-4-5", nothing, plain)).toBeUndefined();
  });
});

it("tells in the documentation from which day the prices are", async () => {
  const docs = join(import.meta.dirname, "..", "..", "..", "docs");
  expect(await readFile(join(docs, "command-line.md"), "utf8")).toContain(listPrices.date);
});
