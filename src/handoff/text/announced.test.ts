import { expect, it } from "vitest";
import { type Account, emptyAccount } from "../account.ts";
import { type DocumentHead, parseDocument } from "../document.ts";
import { completedText } from "./announced.ts";

const head: DocumentHead = {
  job: null,
  agent: "claude",
  number: 2,
  previous: "/one.md",
  created: "2026-01-01T00:00:00.000Z",
  reason: "manual",
  source: "agent",
  outcome: "mended",
  session: "s1",
  transcript: null,
  tokens: 1,
  window: 2,
  percent: 50,
  branch: null,
  head: null,
  checkpoint: null,
  checks: {},
};

const MINE = [
  "# Context Handoff",
  "**Project**: shop",
  "---",
  "## Current Task",
  "- JWT, in [PIV](plan.md)",
  "---",
  "## Next Steps",
  "1. Test it",
  "## Facts",
  "What I know.",
  "## Risks",
  "None *yet*.",
].join("\n\n");

function completed(text: string, changes: (account: Account) => Account = (account) => account): string {
  const account = changes(parseDocument(text).account);
  return completedText(text, { head, account, facts: "By machine.", instructions: "Read it." });
}

it("leaves every word of its author, and adds what a machine knows", () => {
  const text = completed(MINE);
  const own = MINE.replace("## Facts", "## Facts (as the session put it)");
  expect(text).toContain(own.slice(0, own.indexOf("## Next Steps")).trimEnd());
  expect(text).toContain(own.slice(own.indexOf("## Next Steps")));
  expect(text.endsWith("## Facts\n\nBy machine.\n\n## Instructions for the new session\n\nRead it.\n")).toBe(
    true,
  );
  expect(parseDocument(text)).toMatchObject({ head, facts: "By machine.", instructions: "Read it." });
});

it("writes anew what had to be corrected, and adds what was missing", () => {
  const twice = `${MINE}\n\n## Next actions\n\n- Ship it`;
  const text = completed(twice, (account) => ({
    ...account,
    nextSteps: ["Test it (added)", "Ship it"],
    constraints: ["No OAuth"],
    extra: [...account.extra, { title: "Active Workers", text: "| a |" }],
  }));
  const { account } = parseDocument(text);
  expect(account).toMatchObject({ nextSteps: ["Test it (added)", "Ship it"], constraints: ["No OAuth"] });
  expect(account.extra.map(({ title }) => title)).toContain("Active Workers");
  expect(text).toContain("- JWT, in [PIV](plan.md)");
  expect(text).not.toContain("## Next actions");
});

it("takes what it added itself away where it is announced again, and keeps other keys of its head", () => {
  const once = completed(`---\nowner: sam\n---\n${MINE.replace("## Facts", "## What I know")}`);
  expect(completed(once)).toBe(once);
  expect(once).toContain("owner: sam");
});

it("stands an account of nothing", () => {
  const text = completedText("## Goal\n", { head, account: emptyAccount(), facts: "" });
  expect(parseDocument(text).account).toEqual(emptyAccount());
});
