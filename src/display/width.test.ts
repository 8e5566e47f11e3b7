import { expect, it } from "vitest";
import { fitted, widthOf, wrapped } from "./width.ts";

it.each([
  ["plain", 5],
  ["日本", 4],
  ["！", 2],
  ["é", 1],
  ["👩‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["█░┃…", 4],
])("knows that %s takes %d columns", (text, width) => expect(widthOf(text)).toBe(width));

it("leaves alone what fits", () => expect(fitted("日本語", 6)).toBe("日本語"));

it("cuts between characters, never inside one", () => {
  expect(fitted("日本語", 5)).toBe("日本…");
  expect(fitted("日本語", 4)).toBe("日…");
  expect(fitted("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
  expect(fitted("é".repeat(5), 3)).toBe("éé…");
});

it("never exceeds the width, however small", () => {
  for (let width = 0; width < 12; width++)
    expect(widthOf(fitted("ab日本🎉cd", width))).toBeLessThanOrEqual(width);
});

it.each([
  ["breaks between words", "one two three", 8, ["one two", "three"]],
  ["breaks a word that is wider than a line", "see abcdefgh", 5, ["see", "abcde", "fgh"]],
  ["counts columns, not characters", "日本 語", 4, ["日本", "語"]],
  ["keeps what fits as it is", "  two  spaces", 20, ["  two  spaces"]],
  ["has a line for nothing", "", 5, [""]],
])("%s", (_what, text, width, lines) => {
  expect(wrapped(text, width)).toEqual(lines);
});
