import { describe, expect, it } from "vitest";
import { parseHours } from "../../util/hours.ts";
import { heldUntil, type QuietHours } from "./hold.ts";

const at = (time: string) => new Date(`2026-11-18T${time}:00.000Z`);
const quiet = (written: string, timezone = "UTC"): QuietHours => ({
  hours: parseHours(written, "07:00") ?? { from: 0, to: 0 },
  timezone,
});

describe("a notice like one before", () => {
  it("is held until five minutes after that", () => {
    expect(heldUntil(at("10:00"), {})).toBeUndefined();
    expect(heldUntil(at("10:02"), { toldAt: at("10:00") })).toEqual(at("10:05"));
    expect(heldUntil(at("10:05"), { toldAt: at("10:00") })).toBeUndefined();
  });
});

describe("a notice in quiet hours", () => {
  it.each([
    ["22:00-07:00", "21:59", undefined],
    ["22:00-07:00", "03:30", at("07:00")],
    ["22:00-07:00", "06:59", at("07:00")],
    ["22:00-07:00", "07:00", undefined],
    ["12:00-13:00", "12:30", at("13:00")],
    ["22:00", "06:00", at("07:00")],
  ])("of %s that comes at %s is told at %s", (written, time, told) => {
    expect(heldUntil(at(time), { quiet: quiet(written) })).toEqual(told);
  });

  it("is told the next morning where it comes before midnight", () => {
    expect(heldUntil(at("23:00"), { quiet: quiet("22:00-07:00") })).toEqual(
      new Date("2026-11-19T07:00:00.000Z"),
    );
  });

  it("goes by the time zone, also in a night in which the clocks are set", () => {
    expect(heldUntil(at("21:30"), { quiet: quiet("22:00-07:00", "Europe/Berlin") })).toEqual(
      new Date("2026-11-19T06:00:00.000Z"),
    );
    const spring = new Date("2026-03-28T22:00:00.000Z");
    expect(heldUntil(spring, { quiet: quiet("22:00-07:00", "Europe/Berlin") })).toEqual(
      new Date("2026-03-29T05:00:00.000Z"),
    );
  });

  it("is held for as long as both say", () => {
    const both = { toldAt: at("21:58"), quiet: quiet("22:00-07:00") };
    expect(heldUntil(at("21:59"), both)).toEqual(new Date("2026-11-19T07:00:00.000Z"));
  });
});
