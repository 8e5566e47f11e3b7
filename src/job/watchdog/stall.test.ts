import { expect, it } from "vitest";
import { nextLookMs, signIn, stageOf, watchedIn } from "./stall.ts";

const MINUTE = 60_000;

it.each([
  [0, "alive"],
  [4, "quiet"],
  [7, "quiet"],
  [8, "suspected"],
  [15, "suspected"],
  [16, "stalled"],
] as const)("calls %s of 16 minutes without a sign of life %s", (minutes, stage) => {
  expect(stageOf(minutes * MINUTE, 16 * MINUTE)).toBe(stage);
});

it("looks at nothing while all is well, then at most once a minute, and at every step", () => {
  const looks: number[] = [];
  for (let at = nextLookMs(undefined, 16 * MINUTE); at < 16 * MINUTE; at = nextLookMs(at, 16 * MINUTE))
    looks.push(at / MINUTE);
  expect(looks).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  expect(nextLookMs(15.5 * MINUTE, 16 * MINUTE)).toBe(16 * MINUTE);
  expect(nextLookMs(250, 1_000)).toBe(375);
});

it("takes any change for life, and says where it has looked", () => {
  expect(signIn({ processes: false, git: false, files: true })).toBe("files");
  expect(signIn({ processes: true })).toBe("processes");
  expect(signIn({ processes: false })).toBeUndefined();
  expect(watchedIn({})).toEqual(["events"]);
  expect(watchedIn({ git: false, processes: false })).toEqual(["events", "processes", "git"]);
});
