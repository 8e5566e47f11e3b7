import { expect, it } from "vitest";
import { meantModel, meantTool } from "./names.ts";
import { listPrices } from "./prices.ts";

it.each([
  ["claude-sonet-4-5", "claude-sonnet-4-5"],
  ["cluade-opus-5-5", "claude-opus-5-5"],
  ["Claude-Haiku-4-5-20251001", "claude-haiku-4-5-20251001"],
  ["us.anthropic.claude-sonnt-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["sonet", "sonnet"],
])("knows which model was meant by %s", (written, meant) => {
  expect(meantModel(written)).toBe(meant);
});

it.each([
  ...listPrices.models.keys(),
  "sonnet",
  "opus[1m]",
  "opusplan",
  "default",
  "claude-sonnet-9-9",
  "claude-quartz-6",
  "gpt-5",
  "my-gateway/large",
])("says nothing of the model %s, which is known, newer, or another's", (model) => {
  expect(meantModel(model)).toBeUndefined();
});

it.each([
  ["Bahs", "Bash"],
  ["bash(npm test:*)", "Bash(npm test:*)"],
  ["WebFech", "WebFetch"],
  ["Reed(//etc/**)", "Read(//etc/**)"],
])("knows which tool was meant by %s", (written, meant) => {
  expect(meantTool(written)).toBe(meant);
});

it.each(["Bash", "Bash(npm test:*)", "mcp__x__y", "mcp__bahs", "mcp__github__*", "DeployTheSite", "*", ""])(
  "says nothing of the tool %s",
  (tool) => {
    expect(meantTool(tool)).toBeUndefined();
  },
);
