import { expect, it } from "vitest";
import { age, clock, counted, money, percent, size, tokens } from "./figures.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [1_234, "1.2k"],
  [9_949, "9.9k"],
  [9_960, "10k"],
  [45_499, "45k"],
  [999_600, "1M"],
  [1_000_000, "1M"],
  [1_250_000, "1.3M"],
])("shows %d tokens as %s", (count, text) => expect(tokens(count)).toBe(text));

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [4_096, "4.1 kB"],
  [65_536, "66 kB"],
  [2_000_000, "2 MB"],
  [1_250_000_000_000_000, "1250 TB"],
])("shows %d bytes as %s", (bytes, text) => expect(size(bytes)).toBe(text));

it.each([
  [-5, "0:00"],
  [7_900, "0:07"],
  [760_000, "12:40"],
  [3_600_000, "1:00:00"],
  [10_930_000, "3:02:10"],
])("shows %d ms as %s", (ms, text) => expect(clock(ms)).toBe(text));

it.each([
  [-1, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_999, "59 min"],
  [3_600_000, "1 h"],
  [47 * 3_600_000, "47 h"],
  [48 * 3_600_000, "2 days"],
])("says how old something of %d ms is: %s", (ms, text) => expect(age(ms)).toBe(text));

it("shows cents", () => expect(money(1.005)).toMatch(/^\$1\.0[01]$/));

it("counts one thing without an s", () => {
  expect([counted(1, "turn"), counted(2, "turn"), counted(0, "turn")]).toEqual([
    "1 turn",
    "2 turns",
    "0 turns",
  ]);
});

it.each([
  [0, "0%"],
  [69.9, "69%"],
  [(114_000 / 200_000) * 100, "57%"],
  [104, "100%"],
])("shows %d of 100 as %s", (value, text) => expect(percent(value)).toBe(text));
