import { expect, it } from "vitest";
import type { EventHead } from "../../data/events.ts";
import { Lines, shownOf } from "./lines.ts";

const AT = "2026-11-18T10:00:00.000Z";

function head(seq: number, type: EventHead["type"], more: Partial<EventHead> = {}): EventHead {
  return { seq, at: AT, attempt: 1, type, bytes: 100, title: `${type} ${seq}`, ...more };
}

const CALLS = [
  head(1, "tool:start", { call: "a" }),
  head(2, "tool:start", { call: "b", subagent: "looker" }),
  head(3, "tool:end", { call: "b", tone: "bad", text: "exit 1" }),
  head(4, "tool:start", { call: "c", subagent: "looker" }),
];

it("takes new events without reading the old ones again, and ends calls that began before", () => {
  const lines = new Lines();
  expect(lines.of(CALLS).map(({ seq, isRunning }) => [seq, isRunning])).toEqual([
    [1, true],
    [2, false],
    [4, true],
  ]);
  const [first] = lines.of(CALLS);
  const later = lines.of([...CALLS, head(5, "tool:end", { call: "a" })]);
  expect(later[0]).toBe(first);
  expect(first).toMatchObject({ isRunning: false, output: { seq: 5 } });
  expect(lines.of([head(0, "text"), ...CALLS])).toHaveLength(4);
});

it("shows a subagent as one line until it is opened, and its failures by themselves", () => {
  const lines = new Lines().of(CALLS);
  const folded = shownOf(lines, "all", new Set());
  expect(folded.map(({ seq, text }) => [seq, text])).toEqual([
    [1, ""],
    [-2, "2 calls, 1 failed"],
  ]);
  expect(folded[1]).toMatchObject({ isRunning: true, folds: { isOpen: false } });
  expect(shownOf(lines, "all", new Set(["looker"])).map(({ seq }) => seq)).toEqual([1, -2, 2, 4]);
  expect(shownOf(lines, "failed", new Set())).toMatchObject([{ seq: 2, text: "exit 1" }]);
});
