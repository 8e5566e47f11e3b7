import { expect, it } from "vitest";
import { sinceIn, statusesIn, untilIn } from "./narrowed.ts";

const NOW = new Date(2026, 10, 18, 15, 30);

it.each([
  ["90m", new Date(2026, 10, 18, 14, 0)],
  ["2d", new Date(2026, 10, 16, 15, 30)],
  ["today", new Date(2026, 10, 18)],
  ["Yesterday", new Date(2026, 10, 17)],
  ["2026-11-15", new Date(2026, 10, 15)],
  ["2026-11-15 09:30", new Date(2026, 10, 15, 9, 30)],
  ["2026-02-30", undefined],
  ["2x", undefined],
  ["99999999999d", undefined],
  ["", undefined],
])("since %j is a moment, where there is one", (text, moment) => {
  expect(sinceIn(text, NOW)).toEqual(moment);
});

it.each([
  ["90m", new Date(2026, 10, 18, 17, 0)],
  ["18:00", new Date(2026, 10, 18, 18, 0)],
  ["8:00", new Date(2026, 10, 19, 8, 0)],
  ["tomorrow", new Date(2026, 10, 19)],
  ["2026-11-20 08:00", new Date(2026, 10, 20, 8, 0)],
  ["25:00", undefined],
  ["soon", undefined],
])("until %j is a moment, where there is one", (text, moment) => {
  expect(untilIn(text, NOW)).toEqual(moment);
});

it("takes several statuses, and says which one was meant", () => {
  expect(statusesIn("failed, Paused")).toEqual({ statuses: ["failed", "paused"] });
  expect(statusesIn("failed,runing")).toEqual({ wrong: "runing", meant: "running" });
  expect(statusesIn("")).toEqual({ wrong: "" });
});
