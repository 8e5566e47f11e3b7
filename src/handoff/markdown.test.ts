import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Account, emptyAccount } from "./account.ts";
import { isAccount, parseAccount, renderAccount } from "./markdown.ts";

const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replace(/\s+/g, " ").trim());
const word = line.filter(
  (text) =>
    text !== "" &&
    !/^(?:\(?none\)?\.?|[-*+]|\d+[.)])$/i.test(text) &&
    !/^[-*+]\s|^\d+[.)]\s|^[-*+]?\s*\(?none\)?\.?$/i.test(text),
);
/** Lines that look like headings and fences are what a document must survive. */
const tricky = fc.constantFrom(
  "## Goal",
  "# Title",
  "\\## escaped",
  "### Done",
  "- item",
  "plain",
  "Reason: because",
  "a `b` c",
);
const prose = fc
  .array(fc.oneof(word, tricky), { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join("\n").trim())
  .filter((text) => !/^(?:[-*+]\s*)?\(?none\)?\.?$/i.test(text));
const items = fc.array(word, { maxLength: 4 });
const path = fc.stringMatching(/^[a-z]{1,8}\/[a-z-]{1,8}\.[a-z]{1,3}$/);

const account: fc.Arbitrary<Account> = fc.record({
  goal: prose,
  constraints: items,
  progress: fc.record({ done: items, inProgress: items, pending: items }),
  currentState: prose,
  decisions: fc.array(
    fc.record({ decision: word.filter((text) => !text.startsWith("Reason:")), reason: word }),
    { maxLength: 3 },
  ),
  failedAttempts: items,
  criticalContext: items,
  openIssues: items,
  nextSteps: items,
  filesChanged: fc.array(fc.record({ path, change: fc.oneof(fc.constant(""), word) }), { maxLength: 3 }),
  activeSubagents: items,
  links: items,
  extra: fc.constant([]),
});

describe("an account in Markdown", () => {
  it("reads back as what it was", () => {
    fc.assert(
      fc.property(account, (given) => {
        expect(parseAccount(renderAccount(given))).toEqual(given);
      }),
    );
  });

  it("keeps entries of several lines together", () => {
    const given = {
      ...emptyAccount(),
      criticalContext: ["The last error:\nTypeError: x\n    at y"],
      nextSteps: ["one", "two"],
    };
    expect(parseAccount(renderAccount(given))).toEqual(given);
  });

  it("is read as agents and people write it", () => {
    const text = `# Context Handoff

## Current Task
Add JWT.

## Constraints
* No OAuth
* Keep Node 20

## Progress Summary
### Completed
- Research
### In Progress
1. Tests
### Pending
- Docs

## Key Decisions
- Use JWT

## Files Modified
- src/auth.ts (new)
- \`src/routes/api.ts\` — routes

## Next Steps
1. Finish the tests
2. Write docs

## Budget
Two days.`;
    expect(parseAccount(text)).toMatchObject({
      goal: "Add JWT.",
      constraints: ["No OAuth", "Keep Node 20"],
      progress: { done: ["Research"], inProgress: ["Tests"], pending: ["Docs"] },
      decisions: [{ decision: "Use JWT", reason: "" }],
      filesChanged: [{ path: "src/auth.ts" }, { path: "src/routes/api.ts" }],
      nextSteps: ["Finish the tests", "Write docs"],
      extra: [{ title: "Budget", text: "Two days." }],
    });
  });

  it("does not take a heading in a code block for a section", () => {
    const text =
      "## Goal\nDo it.\n\n## Current state\n```\n## Next steps\n- not this\n```\n\n## Next steps\n- this";
    expect(parseAccount(text).nextSteps).toEqual(["this"]);
  });

  it("stands in the order of a template, with the sections that only the template has", () => {
    const given = { ...emptyAccount(), goal: "G", nextSteps: ["N"], extra: [{ title: "Budget", text: "B" }] };
    const titles = [...renderAccount(given, ["Next steps", "Budget", "Goal"]).matchAll(/^## (.*)$/gm)].map(
      ([, title]) => title,
    );
    expect(titles.slice(0, 3)).toEqual(["Next steps", "Budget", "Goal"]);
  });
});

describe("an answer in Markdown", () => {
  it("is an account when it has three of the sections, by whatever name", () => {
    expect(isAccount("## Goal\n\nShip it.\n\n## Next actions (in order)\n\n## Blockers\n")).toBe(true);
    expect(isAccount(renderAccount(emptyAccount()))).toBe(true);
  });

  it.each([
    ["has one of them three times", "## Goal\n\nA.\n\n## Goal\n\nB.\n\n## Goal\n\nC.\n"],
    ["has only others", "## Risks\n\n## Costs\n\n## Goal\n\n## Next steps\n"],
    ["shows them in a code block", "```\n## Goal\n## Next steps\n## Links\n```\n"],
    ["is empty", ""],
  ])("is none where it %s", (_what, answer) => {
    expect(isAccount(answer)).toBe(false);
  });
});
