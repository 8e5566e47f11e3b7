import { describe, expect, it } from "vitest";
import { emptyAccount } from "./account.ts";
import { type HandoffDocument, parseDocument, renderDocument } from "./document.ts";
import { instructions } from "./instructions.ts";

const document: HandoffDocument = {
  head: {
    job: "job-2026-11-15-abc123",
    project: "shop",
    epic: "login",
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
  instructions: instructions({
    folder: "/p",
    hasLinks: true,
    subagents: [{ id: "a1", task: "Look\naround", state: "running", startedAt: "2026-11-15T19:50:00.000Z" }],
    subagentsEnd: false,
  }),
};

describe("a handoff document", () => {
  it("parses back to the same value", () => {
    expect(parseDocument(renderDocument(document))).toEqual(document);
  });

  it("ends with what the next session does first", () => {
    expect(renderDocument(document)).toMatch(
      /## Instructions for the new session\n\n1\. Read this document to its end, then what stands under its links\.\n2\. Work in `\/p`\.\n3\. Check .*`subagent_status`.*:\n {3}- a1: Look around \(started 2026-11-15 19:50 UTC\)\n4\. Continue with the next steps, .*\n$/,
    );
  });

  it("has no step for subagents where none runs, and none to check that ended with their session", () => {
    const parts = { folder: "/p", hasLinks: false, subagentsEnd: true };
    expect(instructions({ ...parts, subagents: [{ id: "a1", task: "x", state: "completed" }] })).toBe(
      "1. Read this document to its end.\n2. Work in `/p`.\n3. Continue with the next steps, in their order. Do not redo what is done. The constraints still hold.",
    );
    const ended = instructions({ ...parts, subagents: [{ id: "a1", task: "x", state: "running" }] });
    expect(ended).toContain("These subagents ended with the session before you.");
    expect(ended).not.toContain("subagent_status");
  });

  it("does not take what a session says for what Baton knows", () => {
    const extra = ["Facts", "Instructions for the new session"].map((title) => ({ title, text: "My own." }));
    const account = { ...document.account, extra };
    const read = parseDocument(renderDocument({ ...document, account }));
    expect(read).toMatchObject({ facts: document.facts, instructions: document.instructions });
    expect(read.account.extra).toEqual([
      { title: "Facts (as the session put it)", text: "My own." },
      { title: "Instructions for the new session (as the session put it)", text: "My own." },
    ]);
  });

  it("is the same whenever it is written again", () => {
    const text = renderDocument(document);
    let again = text;
    for (let handoff = 2; handoff <= 10; handoff++) {
      const read = parseDocument(again);
      again = renderDocument({ ...document, ...read, head: document.head });
    }
    expect(again).toBe(text);
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
