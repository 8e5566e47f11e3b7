import { expect, it } from "vitest";
import { frontMatter } from "./front-matter.ts";

it.each([
  ["---\na: 1\nb: 2\n---\nThe text.\n", "a: 1\nb: 2", "The text.\n"],
  ["---\r\na: 1\r\n---\r\nThe text.", "a: 1", "The text."],
  ["---\na: 1\n---\n", "a: 1", ""],
  ["---\na: 1\n---\nOne.\n---\nTwo.", "a: 1", "One.\n---\nTwo."],
  ["The text.\n---\na: 1\n---\n", undefined, "The text.\n---\na: 1\n---\n"],
  ["---\nnever closed", undefined, "---\nnever closed"],
  ["", undefined, ""],
])("splits %j", (text, front, body) => {
  expect(frontMatter(text)).toEqual({ front, body });
});
