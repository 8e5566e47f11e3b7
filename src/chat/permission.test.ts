import { expect, it } from "vitest";
import { answerIn, questionLines } from "./permission.ts";

it.each([
  ["y", { answer: "once" }],
  ["YES ", { answer: "once" }],
  ["a", { answer: "always" }],
  ["n", { answer: "no" }],
  ["yes, but later", { answer: "no", because: "yes, but later" }],
  ["use pnpm", { answer: "no", because: "use pnpm" }],
])("takes %j as %j", (words, answer) => {
  expect(answerIn(words)).toEqual(answer);
});

it("asks on two lines that fit, however long and hostile the call is", () => {
  const about = `rm -rf /\n\u001b[2J${"x".repeat(500)}`;
  const lines = questionLines(
    { id: "1", name: "Bash", about, input: {}, rule: about },
    80,
    (_format, text) => text,
  );
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).not.toContain("\u001b");
  }
});
