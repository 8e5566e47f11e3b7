import { expect, it } from "vitest";
import { SECTIONS } from "./account.ts";
import { askAgain, handoffRequest, isRequest, requestByHook, requestLine } from "./request.ts";

it("asks for every section, and for those of the user's template, with what they want it to focus on", () => {
  const text = handoffRequest({ extra: ["Risks"], focus: "the tests" });
  for (const { title, asks } of SECTIONS) expect(text).toContain(`\n## ${title} (${asks})\n`);
  expect(text).toMatch(/\n## Risks\n[\s\S]*focus on: the tests\n<\/handoff-request>$/);
  expect(handoffRequest({})).not.toContain("focus on");
});

it("says what the facts hold already, so that nobody repeats it", () => {
  for (const text of [handoffRequest({}), requestByHook("71 %")]) {
    expect(text).toContain("files read, names in use, git, todos, commands, refused calls");
    expect(text).toContain("Do not list those again");
  }
  expect(requestLine()).toContain("so write why, what was tried and what is next");
});

it("asks again for exactly what is missing, in the way that the account came", () => {
  expect(askAgain(["the goal is missing"], true)).toMatch(
    /\n- the goal is missing\n\nCall submit_handoff once more/,
  );
  expect(askAgain(["the goal is missing"], false)).toContain("Answer once more with the whole document");
});

it("fits into one line at a person's prompt, with all headings", () => {
  expect(requestLine()).not.toContain("\n");
  for (const { title } of SECTIONS) expect(requestLine()).toContain(`## ${title}`);
});

it("begins with what happens where a person reads it as a hook's reason", () => {
  expect(requestByHook("71% of the context window is used")).toMatch(
    /^71% of the context window is used, so Baton hands this work over .* submit_handoff of the MCP server baton/,
  );
});

it("is known again in a transcript, and is not taken for a person's words", () => {
  const typed = [handoffRequest({}), askAgain(["a"], false), ` ${requestLine()}`];
  expect(typed.map(isRequest)).toEqual([true, true, true]);
  expect(isRequest("What is a <handoff-request>?")).toBe(false);
});
