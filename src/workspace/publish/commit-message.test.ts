import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../config/defaults.ts";
import { commitMessage, subjectOf } from "./commit-message.ts";

const of = (summary: string, id?: string, source?: string) => ({
  ...{ summary, agent: "coder", jobId: "job-1" },
  workItem: id === undefined ? undefined : { id, ...(source !== undefined && { source }) },
});

describe("a commit message", () => {
  it("closes no issue of a tracker in an agent's words, and keeps those of the user", () => {
    const text = "Fixes #3 as well\n\nAlso resolves #4.";
    const pattern = "{summary}\n\nCloses #{workItem}";
    expect(commitMessage(pattern, of(text, "17", "github:acme/app"))).toBe(
      "Fixes `#3` as well\n\nAlso resolves `#4`.\n\nCloses #17\n",
    );
    expect(commitMessage(pattern, of(text, "17"))).toBe(`${text}\n\nCloses #17\n`);
  });

  it("has the first line of the result for its subject and the rest for its body", () => {
    const result = "\n\n## **Fixed** the `login` page\n\nTwo files changed:\n- a.ts\n# not a comment\n";
    expect(commitMessage("agent: {summary}", of(result))).toBe(
      "agent: Fixed the login page\n\nTwo files changed:\n- a.ts\n# not a comment\n",
    );
    expect(commitMessage("agent: {summary}", of("Done"))).toBe("agent: Done\n");
  });

  it("shortens a long first line at a word and keeps all of it in the body", () => {
    const result = `${"Rewrote the parser so that ".repeat(5)}it ends.`;
    const [subject = "", , body] = commitMessage("agent: {summary}", of(result)).split("\n");
    expect(subject.length).toBeLessThanOrEqual(72);
    expect(subject).toMatch(/^agent: Rewrote .*\b(?:the|parser|so|that|Rewrote)…$/);
    expect(body).toBe(result);
  });

  it("keeps the body bounded", () => {
    const message = commitMessage("{summary}", of(`Done\n${"a line of words\n".repeat(2_000)}`));
    expect(message.length).toBeLessThan(5_200);
    expect(message.endsWith("a line of words\n…\n")).toBe(true);
  });

  it.each([
    [DEFAULTS.workspace.commit_message, "agent: Done"],
    ["{workItem}: {summary}", "Done"],
    ["[{workItem}] {summary}", "Done"],
    ["agent({workItem}): {summary}", "agent: Done"],
    ["agent ({workItem}): {summary}", "agent: Done"],
    ["agent: {workItem} {summary}", "agent: Done"],
    ["{agent} - {workItem} - {summary}", "coder - Done"],
    ["{agent}/{workItem}: {summary}", "coder: Done"],
    ["{summary} (#{workItem})", "Done"],
    ["{summary} [{workItem}] by {agent}", "Done by coder"],
    ["{summary}\n\nRefs: {workItem}", "Done"],
    ["{summary}\n\nJob: {jobId}\nRefs: {workItem}", "Done\n\nJob: job-1"],
    ["{workItem}", "Work of job-1\n\nDone"],
  ])("leaves nothing of the work item in %j where there is none", (pattern, message) => {
    expect(commitMessage(pattern, of("Done"))).toBe(`${message}\n`);
  });

  it("fills in what there is, values as they are, and puts further lines last", () => {
    const pattern = "{workItem}: {summary}\n\nJob: {jobId}\nAgent: {agent}";
    expect(commitMessage(pattern, of("Wrote {agent} and $&\n\nMore.", "LIN-42"))).toBe(
      "LIN-42: Wrote {agent} and $&\n\nMore.\n\nJob: job-1\nAgent: coder\n",
    );
  });

  it("carries the work item where nothing else was said", () => {
    expect(commitMessage(DEFAULTS.workspace.commit_message, of("Fixed it", "LIN-42"))).toBe(
      "agent: LIN-42: Fixed it\n",
    );
  });

  it("says something even where there is nothing to say", () => {
    expect(commitMessage("{summary}", of(" \n---\n"))).toBe("Work of job-1\n\n---\n");
    expect(commitMessage("{summary}", of(""))).toBe("Work of job-1\n");
  });

  it("never holds a control character, an empty subject or one that is too long, whatever the result", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.string({ maxLength: 20 }),
        (text, item) => {
          const message = commitMessage("{workItem} {summary}", of(text, item));
          const subject = message.split("\n")[0] ?? "";
          expect(subject.trim()).not.toBe("");
          expect([...subject].length).toBeLessThanOrEqual(94);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
          expect(message).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
        },
      ),
    );
  });
});

it.each([
  ["- [x] Fixed **it**", "Fixed it"],
  ["1. First", "First"],
  ["> # Quoted", "Quoted"],
  ["See [the docs](https://example.invalid/a) and ![x](y)", "See the docs and x"],
  ["*All* of __init__.py and a * b", "All of __init__.py and a * b"],
  ["```ts\ncode here\n```", "code here"],
  ["***\n\nAfter the rule:", "After the rule"],
  ["😀 is no word\nHas words ✓", "😀 is no word"],
])("the subject of %j is %j", (text, subject) => {
  expect(subjectOf(text)).toBe(subject);
});

it.each(["[", "*a", "`", " ", "> ", "- "])("has a subject for %j a million times over", (part) => {
  expect(subjectOf(part.repeat(1_000_000)).length).toBeLessThanOrEqual(72);
});
