import { describe, expect, it } from "vitest";
import { emptyAccount } from "./account.ts";
import { type HandoffDocument, parseDocument, renderDocument } from "./document.ts";

const document: HandoffDocument = {
  head: {
    job: "job-2026-11-15-abc123",
    agent: "coder",
    number: 3,
    previous: "/p/.baton/handoffs/handoff-2.md",
    created: "2026-11-15T19:55:49.325Z",
    reason: "threshold",
    source: "agent",
    outcome: "mended",
    session: "75cf579f-821a-4f30-ae50-4adc80355588",
    transcript: null,
    tokens: 180_123,
    window: 200_000,
    percent: 90.1,
    branch: "agent/coder/lin-42",
    head: "1013df4",
    checkpoint: null,
    checks: { complete: "ok", "covers-files": "mended" },
  },
  account: {
    ...emptyAccount(),
    goal: 'Quote: "---"',
    currentState: "yes",
    nextSteps: ["Go on"],
    progress: { done: ["a"], inProgress: [], pending: [] },
  },
  facts: "### Request, word for word\n\n> Do it.\n\n```\n## not a section\n```",
};

describe("a handoff document", () => {
  it("parses back to the same value", () => {
    expect(parseDocument(renderDocument(document))).toEqual(document);
  });

  it("that another tool wrote has an account, and no head", () => {
    const { head, account } = parseDocument("# Handoff\n\n## Goal\n\nShip it.\n\n## Next steps\n\n- Tag");
    expect(head).toEqual({});
    expect(account).toMatchObject({ goal: "Ship it.", nextSteps: ["Tag"] });
  });

  it("survives a person's edit that breaks its front matter", () => {
    const { head, account } = parseDocument("---\njob: [\n---\n\n## Goal\n\nShip it.");
    expect(head).toEqual({});
    expect(account.goal).toBe("Ship it.");
  });
});
