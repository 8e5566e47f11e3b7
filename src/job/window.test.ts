import { describe, expect, it } from "vitest";
import { percentInWords, windowInWords } from "./window.ts";

describe("how full the window is", () => {
  it("is called an estimate where the program tells nothing, or results came since", () => {
    const exact = { tokens: 124_000, window: 200_000, percent: 62 };
    expect(percentInWords(exact)).toBe("62%");
    expect(percentInWords({ ...exact, isEstimate: true })).toBe("~62%");
    expect(windowInWords({ ...exact, pending: 49_000 })).toBe("~173k of 200k (86%)");
  });
});
