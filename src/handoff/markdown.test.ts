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

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    ...[
      "",
      "None",
      "- none",
      "(none).",
      "---",
      "***",
      "```",
      "~~~",
      "## Goal",
      "# Title",
      "##",
      "\\## x",
      "#",
    ],
    ...[
      "Reason:",
      "Reason: x",
      "Rationale: y",
      "Decision: z",
      "**Decision**:",
      "- item",
      "1. item",
      "  in",
      "\r\n",
    ],
    ...["**Instructions for New Instance:**", "### Done", "done:", "`a`", "a\u2028b", "| a | b |", "Facts"],
  ),
);
const text = fc.array(words, { maxLength: 4 }).map((lines) => lines.join("\n"));
const texts = fc.array(text, { maxLength: 3 });
const anything: fc.Arbitrary<Account> = fc.record({
  goal: text,
  constraints: texts,
  progress: fc.record({ done: texts, inProgress: texts, pending: texts }),
  currentState: text,
  decisions: fc.array(fc.record({ decision: text, reason: text }), { maxLength: 3 }),
  failedAttempts: texts,
  criticalContext: texts,
  openIssues: texts,
  nextSteps: texts,
  filesChanged: fc.array(fc.record({ path: text, change: text }), { maxLength: 3 }),
  activeSubagents: texts,
  links: texts,
  extra: fc.array(fc.record({ title: fc.oneof(text, fc.constantFrom("Budget", "Goal", "Notes:")), text }), {
    maxLength: 3,
  }),
});

describe("an account in Markdown", () => {
  it("reads back as what it was", () => {
    fc.assert(
      fc.property(account, (given) => {
        expect(parseAccount(renderAccount(given))).toEqual(given);
      }),
    );
  });

  /** Whatever stands in it: what an agent wrote, what was cut, what another tool left. */
  it("is the same whenever it is written again, over a chain of ten", () => {
    fc.assert(
      fc.property(anything, (given) => {
        const written = renderAccount(given);
        let again = written;
        for (let handoff = 2; handoff <= 10; handoff++) again = renderAccount(parseAccount(again));
        expect(again).toBe(written);
      }),
      { numRuns: 200 },
    );
  });

  it("does not grow a reason where a decision has none", () => {
    const given = { ...emptyAccount(), decisions: [{ decision: "Use YAML", reason: "" }] };
    expect(renderAccount(given)).toContain("## Decisions\n\n- Use YAML\n\n");
    expect(parseAccount(renderAccount(given)).decisions).toEqual(given.decisions);
  });

  it.each(["- Use YAML\n  Reason: ", "- Use YAML Reason: Reason:\n  Reason: "])(
    "reads a decision whose reason had grown: %j",
    (grown) => {
      expect(parseAccount(`## Decisions\n\n${grown}`).decisions).toEqual([
        { decision: "Use YAML", reason: "" },
      ]);
    },
  );

  it("keeps every section, though a text in it was cut inside a code block", () => {
    const given = {
      ...emptyAccount(),
      goal: "Fix this:\n\n```\nboom …",
      criticalContext: ["```\nnpm test\n```", "The output:\n```\nfail …"],
      nextSteps: ["Go on"],
    };
    const read = parseAccount(renderAccount(given));
    expect(read).toMatchObject({
      goal: "Fix this:\n\n```\nboom …\n```",
      criticalContext: given.criticalContext,
      nextSteps: ["Go on"],
    });
  });

  it("shows code as it is, also where it looks like a heading", () => {
    const given = { ...emptyAccount(), goal: "Write this:\n\n```\n## Goal\n---\n```" };
    expect(renderAccount(given)).toContain(given.goal);
    expect(parseAccount(renderAccount(given)).goal).toBe(given.goal);
  });

  it("loses nothing where two headings mean the same section", () => {
    const text = "## Important context\n\n- Port 8080\n\n## Notes\n\n- Ask Ada\n";
    expect(parseAccount(text).criticalContext).toEqual(["Port 8080", "Ask Ada"]);
  });

  it("is read with the line ends of any system", () => {
    const text = "## Goal:\r\n\r\nShip it.\r\n\r\n## **Next steps**\r\n\r\n1. One\r\n2. Two\r\n";
    expect(parseAccount(text)).toMatchObject({ goal: "Ship it.", nextSteps: ["One", "Two"] });
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

/** As the supervisors of some projects write them. */
const SUPERVISOR = `# Context Handoff

**Created**: 2026-01-21 14:30:45
**Previous Instance**: abc
**Context Usage**: 140,000 / 200,000 tokens (70%)
**Project**: consilio-s
**Current Epic**: epic-012-authentication-system.md

---

## Current Task

- Implementing JWT authentication system for API
- Currently in PIV-loop: Implementation phase

---

## Progress Summary

### Completed
- ✅ Research phase: Analyzed existing auth patterns in codebase

### In Progress
- 🔄 Writing tests for authentication endpoints

### Pending
- ⏳ Documentation update
- ⏳ Deployment

---

## Active Subagents

- **implement-feature** (agent_id: abc123)
  - Status: Running
  - Started: 14:15

- **None** (if no active subagents)

---

## Recent Decisions

1. **Decision**: Use JWT instead of session-based auth
   - Rationale: API is stateless, JWT fits architecture better
   - ADR: .bmad/adr/005-jwt-authentication.md

2. **Decision**: Store tokens in httpOnly cookies
   - Rationale: XSS protection
   - No ADR needed (implementation detail)

---

## Files Modified

- src/middleware/auth.ts (new)
- .env.example (updated with JWT_SECRET)

---

## Next Steps

1. Continue PIV-loop: Resume implementation subagent or check its status
2. Commit and push changes

---

## Important Context

- User requested JWT specifically (not OAuth)
- Port 5000 already allocated for API

---

## Links

- Epic: .bmad/epics/epic-012-authentication-system.md
- Plan: .bmad/plans/auth-plan.md

---

**Instructions for New Instance:**

1. Read this handoff document completely
2. Continue from "Next Steps" section above
`;

it("a supervisor's document, with rules, rationales and instructions, has everything in its section", () => {
  expect(parseAccount(SUPERVISOR)).toEqual({
    ...emptyAccount(),
    goal: "- Implementing JWT authentication system for API\n- Currently in PIV-loop: Implementation phase",
    progress: {
      done: ["✅ Research phase: Analyzed existing auth patterns in codebase"],
      inProgress: ["🔄 Writing tests for authentication endpoints"],
      pending: ["⏳ Documentation update", "⏳ Deployment"],
    },
    decisions: [
      {
        decision: "Use JWT instead of session-based auth",
        reason: "API is stateless, JWT fits architecture better\n- ADR: .bmad/adr/005-jwt-authentication.md",
      },
      {
        decision: "Store tokens in httpOnly cookies",
        reason: "XSS protection\n- No ADR needed (implementation detail)",
      },
    ],
    criticalContext: ["User requested JWT specifically (not OAuth)", "Port 5000 already allocated for API"],
    nextSteps: [
      "Continue PIV-loop: Resume implementation subagent or check its status",
      "Commit and push changes",
    ],
    filesChanged: [
      { path: "src/middleware/auth.ts", change: "(new)" },
      { path: ".env.example", change: "(updated with JWT_SECRET)" },
    ],
    activeSubagents: ["**implement-feature** (agent_id: abc123)\n- Status: Running\n- Started: 14:15"],
    links: ["Epic: .bmad/epics/epic-012-authentication-system.md", "Plan: .bmad/plans/auth-plan.md"],
    extra: [
      {
        title: "Instructions for New Instance",
        text: '1. Read this handoff document completely\n2. Continue from "Next Steps" section above',
      },
    ],
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
