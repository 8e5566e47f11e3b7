import { expect, it } from "vitest";
import { pick, randomFrom } from "./random.ts";

const take = (count: number, random: () => number) => Array.from({ length: count }, random);

it("the same seed and name give the same numbers, and others give others", () => {
  expect(take(5, randomFrom(1, 2))).toEqual(take(5, randomFrom(1, 2)));
  expect(take(5, randomFrom(1, 2))).not.toEqual(take(5, randomFrom(1, 3)));
  expect(take(5, randomFrom(1, 2))).not.toEqual(take(5, randomFrom(2, 2)));
});

it("numbers are spread over all of [0, 1), also over the first ones of many jobs", () => {
  for (const numbers of [
    take(10_000, randomFrom(1)),
    take(10_000, () => 0).map((_, job) => randomFrom(1, job)()),
  ]) {
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    for (let tenth = 0; tenth < 10; tenth++) {
      const inside = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      expect(inside).toBeGreaterThan(850);
      expect(inside).toBeLessThan(1_150);
    }
  }
});

it("a choice is made as often as its weight says, and never without one", () => {
  const random = randomFrom(7);
  const chosen = take(4_000, () => 0).map(() => pick(random, { often: 3, rarely: 1, never: 0 }));
  const often = chosen.filter((choice) => choice === "often").length;
  expect(often).toBeGreaterThan(2_850);
  expect(often).toBeLessThan(3_150);
  expect(chosen).not.toContain("never");
});

it("nothing to choose from is refused", () => {
  expect(() => pick(randomFrom(1), { never: 0 })).toThrow("nothing to choose from");
});
