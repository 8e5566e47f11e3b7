import { describe, expect, it } from "vitest";
import { claudeModels } from "./windows.ts";

const { isSameModel, windowKey, windowOf } = claudeModels;

describe("the window of a model", () => {
  it.each([
    ["claude-sonnet-4-5", 200_000],
    ["claude-haiku-4-5", 200_000],
    ["claude-opus-5-5", 1_000_000],
    ["claude-sonnet-4-5-20250929", 200_000],
    ["claude-3-7-sonnet-latest", 200_000],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000],
    ["us.anthropic.claude-opus-4-6-v1", 200_000],
    ["arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-5-5", 1_000_000],
    ["claude-opus-4-1@20250805", 200_000],
    ["anthropic/claude-opus-5.5", 1_000_000],
  ])("of %s is %i", (model, window) => {
    expect(windowOf(model)).toBe(window);
  });

  it("is a million for every model that is asked for with [1m]", () => {
    expect(windowOf("claude-sonnet-4-5-20250929[1m]")).toBe(1_000_000);
    expect(windowOf("us.anthropic.claude-sonnet-4-6[1m]")).toBe(1_000_000);
  });

  it.each(["gpt-5", "claude-opus-9", "claude-opus-5-50", "claude-", "sonnet", ""])(
    "of %j is unknown",
    (model) => {
      expect(windowOf(model)).toBeUndefined();
    },
  );
});

describe("the spellings of a model", () => {
  const spellings = [
    "claude-sonnet-4-5",
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4-5@20250929",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  ];

  it("share one key, and the [1m] variant has its own", () => {
    expect(new Set(spellings.map(windowKey))).toEqual(new Set(["claude-sonnet-4-5"]));
    expect(windowKey("claude-sonnet-4-5-20250929[1m]")).toBe("claude-sonnet-4-5[1m]");
  });

  it("are the same model, with [1m] or without", () => {
    expect(isSameModel("claude-sonnet-4-5[1m]", "claude-sonnet-4-5-20250929")).toBe(true);
    expect(isSameModel("claude-sonnet-4-5", "claude-sonnet-4-6")).toBe(false);
    expect(isSameModel("claude-opus-5", "claude-opus-5-5")).toBe(false);
  });
});
