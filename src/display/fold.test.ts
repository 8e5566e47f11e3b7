import { expect, it } from "vitest";
import { folded, screenWidth } from "./fold.ts";
import { coloured, onScreen, type Paint } from "./style.ts";

const paint: Paint = (format, text) => onScreen(coloured(format, text));

it("breaks lines between words, and moves what follows to the right", () => {
  expect(folded("  one two three four", 12, 2)).toBe("  one two\n    three\n    four");
  expect(folded("label     one two three four", 24, 10)).toBe("label     one two three\n          four");
});

it("begins no line with the spaces that it was broken at", () => {
  expect(folded("session 1 abc  def", 14, 2)).toBe("session 1 abc\n  def");
});

it("leaves a word whole that no line can hold", () => {
  const path = `/tmp/${"x".repeat(40)}`;
  expect(folded(`  at ${path} now`, 30)).toBe(`  at\n  ${path}\n  now`);
  expect(folded(path, 30)).toBe(path);
});

it("counts paint as nothing, and gives each line its own", () => {
  expect(onScreen(folded(coloured("red", "one two"), 4))).toBe(
    `${paint("red", "one")}\n${paint("red", "two")}`,
  );
});

it("knows no width where there is no screen", () => {
  expect(screenWidth({ isTTY: false, columns: 80 })).toBeUndefined();
  expect(folded("one two", undefined)).toBe("one two");
});
