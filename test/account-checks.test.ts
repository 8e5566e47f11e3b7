import { expect, it } from "vitest";
import { renderAccount } from "../src/handoff/markdown.ts";
import type { Step, ToolCall } from "../src/simulator/scenario.ts";
import { git } from "./harness.ts";
import {
  bash,
  CONSTRAINTS,
  continuation,
  failedChecks,
  good,
  handedOver,
  handoffRequests,
  handsIn,
  oneHandoff,
  REQUEST,
  writesNotes,
} from "./one-handoff.ts";
import { untagged } from "./untagged.ts";

it.each<[string, Step]>([
  ["by the tool", handsIn({})],
  ["in Markdown", { say: renderAccount(good) }],
])("a good account that comes %s is written as it stands", (_, answer) => isWritten(answer));

it("a good account of Claude Code's is written as it stands", { tags: ["claude"] }, () =>
  isWritten(handsIn({})),
);

async function isWritten(answer: Step): Promise<void> {
  const { project, stored, asked, document, text } = await handedOver(oneHandoff([writesNotes], answer));
  expect(stored).toMatchObject({ source: "agent", outcome: "written" });
  expect(stored.checks.length).toBeGreaterThan(0);
  expect(failedChecks(stored)).toEqual([]);
  expect(asked).toEqual([[]]);
  expect(document.account).toEqual(good);
  expect(document.head).toMatchObject({
    outcome: "written",
    number: 1,
    previous: null,
    session: stored.session,
    branch: "main",
    head: await git(project.folder, "rev-parse", "HEAD"),
    checks: Object.fromEntries(stored.checks.map(({ name }) => [name, "ok"])),
  });
  expect(continuation(project)).toContain(text.trim());
  expect(untagged(continuation(project))).toContain(`<original-request>\n${REQUEST}\n</original-request>`);
}

interface Shortfall {
  of: string;
  work?: ToolCall[];
  first: Step;
  /** What the model is told, word for word. */
  told: RegExp;
  check: string;
  /** What the document says when the second account is no better. */
  mended: RegExp;
}

const failingTest: ToolCall[] = [writesNotes, bash("node --test missing.test.js")];

const shortfalls: Shortfall[] = [
  {
    of: "lacks a section",
    first: handsIn({ nextSteps: [] }),
    told: /the section "Next steps" is missing, empty or a placeholder/,
    check: "complete",
    mended: /## Next steps\n\n- .+ \(from facts\)/,
  },
  {
    of: "has a placeholder for a section",
    first: handsIn({ currentState: "TBD" }),
    told: /the section "Current state" is missing, empty or a placeholder/,
    check: "complete",
    mended: /## Current state\n\nOn branch main .*\(from facts\)/,
  },
  {
    of: "names a file that is not there",
    first: handsIn({ filesChanged: [...good.filesChanged, { path: "src/nowhere.ts", change: "new" }] }),
    told: /src\/nowhere\.ts is named but does not exist/,
    check: "true-paths",
    mended: /not there: src\/nowhere\.ts \(from facts\)/,
  },
  {
    of: "has a wrong HEAD",
    first: handsIn({ currentState: "notes.txt is there. HEAD is 0123456789abcdef." }),
    told: /HEAD is [0-9a-f]{40}, not 0123456789abcdef/,
    check: "true-git",
    mended: /Correction: HEAD is [0-9a-f]{40}, not 0123456789abcdef \(from facts\)/,
  },
  {
    of: "says that tests pass which failed",
    work: failingTest,
    first: handsIn({ progress: { done: ["All tests pass"], inProgress: [], pending: ["More"] } }),
    told: /"All tests pass" is listed as done, but the last test run failed: node --test missing\.test\.js/,
    check: "true-tests",
    mended: /### In progress\n\n- All tests pass \(the last test run failed: .*\) \(from facts\)/,
  },
  {
    of: "leaves out a changed file",
    work: [writesNotes, { tool: "Write", input: { file_path: "more.txt", content: "two\n" } }],
    first: handsIn({}),
    told: /more\.txt was changed and is not named/,
    check: "covers-files",
    mended: /- `more\.txt`: created \(from facts\)/,
  },
  {
    of: "leaves out a constraint",
    first: handsIn({ constraints: CONSTRAINTS.slice(0, 1) }),
    told: /constraint is not there word for word: Keep every line under 80 characters\./,
    check: "covers-constraints",
    mended: /- Keep every line under 80 characters\. \(from facts\)/,
  },
];

it("an account that falls short is asked for once more, and counts when it is then right", async () => {
  const { project, stored, asked } = await handedOver(
    oneHandoff([writesNotes], handsIn({ nextSteps: [] }), handsIn({})),
  );
  expect(asked).toEqual([[], [expect.stringContaining('the section "Next steps"')]]);
  expect(handoffRequests(project)).toHaveLength(2);
  expect(stored).toMatchObject({ source: "agent", outcome: "written" });
  expect(failedChecks(stored)).toEqual([]);
});

it.each(shortfalls)(
  "an account that twice $of is completed from the facts, and says so",
  async (shortfall) => {
    const { work = [writesNotes], first, told, check, mended } = shortfall;
    const { project, stored, asked, document, text } = await handedOver(oneHandoff(work, first, first));
    expect(asked).toEqual([[], [expect.stringMatching(told)]]);
    const [request, again] = handoffRequests(project);
    expect(request).not.toMatch(told);
    expect(again).toMatch(told);
    expect(stored).toMatchObject({ outcome: "mended", reason: expect.stringMatching(told) });
    expect(failedChecks(stored)).toEqual([check]);
    expect(document.head).toMatchObject({ outcome: "mended", checks: { [check]: "mended", budget: "ok" } });
    expect(text).toMatch(mended);
    expect(continuation(project)).toMatch(mended);
  },
);
