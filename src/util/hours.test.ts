import { describe, expect, it } from "vitest";
import { outside, parseHours } from "./hours.ts";

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);
const night = parseHours("22:00", "07:00");

describe("hours of the day", () => {
  it("are a time until the morning, or from one time to another", () => {
    expect(night).toEqual({ from: 22 * 60, to: 7 * 60 });
    expect(parseHours("2:00-06:30", "07:00")).toEqual({ from: 120, to: 390 });
  });

  it.each(["", "22", "25:00", "22:60", "07:00", "22:00-22:00", "22:00-", "a22:00"])(
    "are not %j",
    (written) => {
      expect(parseHours(written, "07:00")).toBeUndefined();
    },
  );

  it.each([
    ["in the evening, wait for the next day", at(18, 23, 30), at(19, 7)],
    ["at their beginning", at(18, 22), at(19, 7)],
    ["after midnight, wait for the same day", at(18, 3), at(18, 7)],
    ["at their end, are over", at(18, 7), at(18, 7)],
    ["before them, hold nothing", at(18, 21, 59), at(18, 21, 59)],
  ])("%s", (_when, moment, expected) => {
    expect(outside(night, moment)).toEqual(expected);
  });

  it("that do not go over midnight hold within one day", () => {
    const hours = parseHours("02:00-07:00", "07:00");
    expect(outside(hours, at(18, 3))).toEqual(at(18, 7));
    expect(outside(hours, at(18, 1))).toEqual(at(18, 1));
    expect(outside(undefined, at(18, 3))).toEqual(at(18, 3));
  });
});
