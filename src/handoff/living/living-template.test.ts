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
      "Session Info": expect.stringContaining("180000 of 200000 tokens (90%)"),
      "Pending Tasks": "- [ ] The docs\n- [ ] The tag",
      "Blocked Items": "- No key yet",
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

  it("does not change when nothing has", () => {
    const once = filledTemplate(STANDARD_TEMPLATE, handoff, "");
    expect(filledTemplate(STANDARD_TEMPLATE, handoff, once)).toBe(once);
  });
});
