import { expect, it } from "vitest";
import { hookOutput } from "./hook-answer.ts";

it.each([
  [{ toPerson: "Half full." }, { systemMessage: "Half full." }],
  [{ notYet: "Hand over." }, { decision: "block", reason: "Hand over." }],
  [
    { toPerson: "Mail.", toAgent: "From w1: done" },
    {
      systemMessage: "Mail.",
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "From w1: done" },
    },
  ],
])("an answer is told in the words of the program: %j", (answer, output) => {
  expect(JSON.parse(hookOutput("PostToolUse", answer))).toEqual(output);
});
