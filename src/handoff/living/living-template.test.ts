import { describe, expect, it } from "vitest";
import { emptyAccount } from "../account.ts";
import type { HandoffDocument } from "../document.ts";
import { sectionsOf } from "../text/sections.ts";
import { filledTemplate, STANDARD_TEMPLATE } from "./living-template.ts";

const handoff: HandoffDocument = {
  head: {
    job: "job-1",
    agent: "coder",
    number: 2,
    previous: null,
    created: "2026-11-15T19:55:49.325Z",
    reason: "threshold",
    source: "agent",
    outcome: "written",
    session: "s-2",
    transcript: null,
    tokens: 180_000,
    window: 200_000,
    percent: 90,
    branch: null,
    head: null,
    checkpoint: null,
    checks: {},
  },
  account: {
    ...emptyAccount(),
    progress: { done: ["The parser"], inProgress: ["The docs"], pending: ["The tag"] },
    criticalContext: ["Port 8080"],
    openIssues: ["No key yet"],
    nextSteps: ["Finish the docs"],
  },
  facts: "### Request, word for word\n\n> Ship it",
};

function filled(template: string, present = ""): Record<string, string> {
  const text = filledTemplate(template, handoff, present);
  return Object.fromEntries(sectionsOf(text).map(({ title, body }) => [title, body]));
}

describe("a living document", () => {
  it("tells in the standard template what a session knows", () => {
    expect(filled(STANDARD_TEMPLATE)).toMatchObject({
      "Session Info": expect.stringMatching(
        /\*\*Timestamp\*\*: 2026-11-15 19:55 UTC\n(?:.*\n)*.*180000 of 200000 tokens \(90%\)/,
      ),
      "Pending Tasks": "- [ ] The docs\n- [ ] The tag",
      "Blocked Items":
        "| Item | Blocker | Action Needed |\n| --- | --- | --- |\n| No key yet |  | handoff 2 |",
      "Recent Events": "- The parser",
      "Next Actions": "- Finish the docs",
      Notes: "- Port 8080",
    });
  });

  it("keeps the user's sections, title and notes, also where the template does not have them", () => {
    const template = "# T\n\n## Next actions\n\n## Rules\n\nNone.\n\n## Notes\n\n<!-- anything -->\n";
    const present =
      "# My own title\n\nRead me.\n\n## Rules\n\nBe kind.\n\n## Notes\n\nCall Ada.\n\n## Mine\n\nx\n\n## Mine\n\ny\n";
    expect(filledTemplate(template, handoff, present)).toBe(
      "# My own title\n\nRead me.\n\n## Next actions\n\n- Finish the docs\n\n## Rules\n\nBe kind.\n\n" +
        "## Notes\n\nCall Ada.\n\n- Port 8080\n\n## Mine\n\nx\n\ny\n",
    );
  });

  const HEAD = "| Item | Blocker | Action Needed |\n|------|:-------:|---|";
  const blocked = (rows: string) => `## Blocked Items\n\n${HEAD}\n${rows}`;

  it("keeps a table of the user's a table, and every row that they wrote or added to", () => {
    const own = "| Deploy | | |\n| Key \\| token | Ada | ask |\n| Old one | Bob | handoff 1 |";
    const present = `${blocked(`${own}\n| Gone | | handoff 1 |\n| | | |`)}\n\nAda is back on Monday.\n`;
    expect(filled("## Blocked Items\n", present)["Blocked Items"]).toBe(
      `${HEAD}\n${own}\n| No key yet |  | handoff 2 |\n\nAda is back on Monday.`,
    );
  });

  it("does not say twice what stands in the user's table already", () => {
    const own = "| No key yet | Ada | ask |";
    expect(filled("## Blocked Items\n", blocked(own))["Blocked Items"]).toBe(`${HEAD}\n${own}`);
  });

  it("fills any table of its template, whatever signs there are in what it tells", () => {
    const issue = "a | b\nc";
    const told = { ...handoff, account: { ...handoff.account, openIssues: [issue] } };
    const text = filledTemplate(
      "## Blockers\n\n| What | Seen |\n| --- | --- |\n\n## Pending tasks\n\n| Task | Seen |\n|-|-|\n",
      told,
      "",
    );
    expect(text).toBe(
      "## Blockers\n\n| What | Seen |\n| --- | --- |\n| a \\| b c | handoff 2 |\n\n" +
        "## Pending tasks\n\n| Task | Seen |\n|-|-|\n| The docs | handoff 2 |\n| The tag | handoff 2 |\n",
    );
    expect(filledTemplate("## Blockers\n\n## Pending tasks\n", told, text)).toBe(text);
  });

  it("does not change when nothing has", () => {
    const once = filledTemplate(STANDARD_TEMPLATE, handoff, "");
    expect(filledTemplate(STANDARD_TEMPLATE, handoff, once)).toBe(once);
  });
});
