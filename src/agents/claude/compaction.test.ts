import { describe, expect, it } from "vitest";
import { compactsAt } from "./compaction.ts";

describe("where Claude Code compacts a session by itself", () => {
  it("is so far from the end of the window that an answer and a summary fit", () => {
    expect(compactsAt(200_000, {})).toBe(167_000);
    expect(compactsAt(1_000_000, {})).toBe(967_000);
  });

  it("is moved or turned off by what Claude Code itself reads", () => {
    expect(compactsAt(200_000, { DISABLE_AUTO_COMPACT: "1" })).toBeUndefined();
    expect(compactsAt(200_000, { DISABLE_AUTO_COMPACT: "0" })).toBe(167_000);
    expect(compactsAt(200_000, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" })).toBe(67_000);
    expect(compactsAt(200_000, { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" })).toBe(100_000);
    expect(compactsAt(200_000, { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "99" })).toBe(167_000);
  });
});
