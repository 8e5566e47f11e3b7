import { expect, it } from "vitest";
import { dates, longDate, shortDate } from "./when.ts";

const at = (year: number, month: number, day: number, hour = 9, minute = 5) =>
  new Date(year, month - 1, day, hour, minute).toISOString();

it.each([
  [at(2026, 11, 15, 20, 35), "Nov 15 20:35"],
  [at(2026, 3, 1), "Mar 01 09:05"],
  [at(2025, 12, 1), "2025-12-01"],
])("says in a list when %s was: %s", (moment, said) => {
  expect(shortDate(moment, new Date(2026, 10, 18))).toBe(said);
});

it("says from when to when, with the day once", () => {
  expect(longDate(at(2026, 11, 15, 20, 35))).toBe("2026-11-15 20:35");
  expect(dates(at(2026, 11, 15, 20, 35), at(2026, 11, 15, 21, 10))).toBe("2026-11-15 20:35 to 21:10");
  expect(dates(at(2026, 11, 15, 20, 35), at(2026, 11, 15, 20, 35))).toBe("2026-11-15 20:35");
  expect(dates(at(2026, 11, 15, 20, 35), at(2026, 11, 16, 1, 0))).toBe(
    "2026-11-15 20:35 to 2026-11-16 01:00",
  );
});
