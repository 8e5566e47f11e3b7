import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationText, parseDuration } from "./duration.ts";

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

describe("a duration", () => {
  it("is a whole number of its unit", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom("ms", "s", "m", "h", "d"), (amount, unit) => {
        expect(parseDuration(`${amount}${unit}`)).toBe(amount * UNITS[unit]);
      }),
    );
  });

  it("can have a fraction and a space", () => {
    expect(parseDuration("1.5h")).toBe(5_400_000);
    expect(parseDuration("30 s")).toBe(30_000);
  });

  it.each(["", "5", "m", "-5m", "5M", "5 minutes", "1h30m", ".5h", "1e3s", "5toString"])(
    "is not %j",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it("is said in the largest unit that fits", () => {
    expect([0, 999, 60_000, 2 ** 31 - 1].map(durationText)).toEqual(["0ms", "999ms", "1m", "24d"]);
  });
});
