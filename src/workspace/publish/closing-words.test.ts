import { expect, it } from "vitest";
import { closingNothing } from "./closing-words.ts";

it.each([
  ["Fixes #3.", "Fixes `#3`."],
  ["fIxEs #3", "fIxEs `#3`"],
  ["closes: #3", "closes: `#3`"],
  ["RESOLVED acme/other#12 by hand", "RESOLVED `acme/other#12` by hand"],
  ["Closing #3, #4 and #5", "Closing `#3`, `#4` and `#5`"],
  ["Fix issue #3", "Fix issue `#3`"],
  ["Completes ENG-42", "Completes `ENG-42`"],
  ["Fixed https://github.com/acme/app/issues/3", "Fixed `https://github.com/acme/app/issues/3`"],
  ["fixes\n#3", "fixes\n`#3`"],
])("writes numbers that would be closed as code: %j", (text, expected) => {
  expect(closingNothing(text)).toBe(expected);
  expect(closingNothing(expected)).toBe(expected);
});

it.each(["See #3.", "Prefixes #3", "Fixes utf-8 in 3 files", "Fixed the 404 of #3", "Closes `#3`"])(
  "leaves other words alone: %j",
  (text) => {
    expect(closingNothing(text)).toBe(text);
  },
);

it("reads a long text once", () => {
  const text = "fixes ".repeat(20_000);
  expect(closingNothing(text)).toBe(text);
});
