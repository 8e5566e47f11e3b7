import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt } from "./excerpt.ts";

const LOG = "2026/01/27 13:36:42 INFO checkpoint saved component=checkpoint failed=0 error=none\n".repeat(30);

describe("an excerpt of what a program printed", () => {
  it("is all of it where there is room", () => {
    const short = "TypeError: a\n  at b";
    expect(excerpt(short, 100)).toBe(short);
    const long = `one\n${"a line\n".repeat(60)}`;
    expect(excerpt(long, 500)).toBe(long);
  });

  it("has its end, and the reason that stands far above it in the middle of a log", () => {
    const reason = "    shed_test.go:760: AgentPercentage = 33.3%, want ~42.9%";
    const end = `FAIL\nFAIL\texample.com/shed\t3.238s\n${"ok  \texample.com/other\t(cached)\n".repeat(8)}FAIL`;
    const printed = `${LOG}--- FAIL: TestShed\n${reason}\n${LOG}${end}`;
    const told = excerpt(printed, 1_500);
    expect(told.startsWith(`--- FAIL: TestShed\n${reason}\n…\n`)).toBe(true);
    expect(told.endsWith(end)).toBe(true);
    expect(excerpt(told, 700)).toContain(reason);
  });

  it("leaves out the middle of lines that nobody reads", () => {
    const told = excerpt(`${"x".repeat(5_000)}\n${"a line\n".repeat(60)}`, 2_000);
    expect(told).not.toContain("x".repeat(300));
  });

  it("stays in its room and ends as it was printed, whatever that is", () => {
    const line = fc.oneof(fc.string(), fc.constant("Error: no shed at a.ts:7"), fc.constant("x".repeat(900)));
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 300, max: 3_000 }), (lines, most) => {
        const printed = lines.join("\n");
        const told = excerpt(printed, most);
        expect(told.length).toBeLessThanOrEqual(most + 1);
        expect(told.endsWith(printed.slice(-300))).toBe(true);
      }),
    );
  });
});
