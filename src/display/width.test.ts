import { expect, it } from "vitest";
import { fitted, widthOf } from "./width.ts";

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
