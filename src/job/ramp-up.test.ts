import fc from "fast-check";
import { expect, it } from "vitest";
import { isFarAbove, RAMP_UP_BEGINS, type RampUp, usualRampUp } from "./ramp-up.ts";

const rampUp = (turns: number, tokens: number | null = turns * 1_000): RampUp => ({
  ...RAMP_UP_BEGINS,
  state: "reached",
  turns,
  tokens,
  ms: turns * 1_000,
});

it("is usual for an agent once five of its handoffs came to new work", () => {
  const four = [1, 2, 3, 4].map((turns) => rampUp(turns));
  expect(usualRampUp(four)).toBeUndefined();
  expect(usualRampUp([...four, { ...rampUp(9), state: "ended" }])).toBeUndefined();
  expect(usualRampUp([...four, rampUp(90)])).toEqual({ handoffs: 5, turns: 3, tokens: 3_000, ms: 3_000 });
  expect(usualRampUp([...four, rampUp(90), rampUp(4)])).toMatchObject({ handoffs: 6, turns: 3.5 });
  expect(usualRampUp([...four, rampUp(90, null)])).toMatchObject({ turns: 3, tokens: null });
});

it.each([
  ["twice as many turns", rampUp(4, 0), false],
  ["more than twice as many turns", rampUp(5, 0), true],
  ["more than twice as many tokens, but only a few", rampUp(2, 6_900), false],
  ["more than twice as many tokens", rampUp(2, 7_001), true],
  ["tokens that nobody knows", rampUp(2, null), false],
  ["no new work in many turns", { ...rampUp(9), state: "ended" as const }, true],
  ["no new work, but soon over", { ...rampUp(1), state: "ended" as const }, false],
])("is far above two turns and two thousand tokens, or not: %s", (_what, one, expected) => {
  const usual = { handoffs: 7, turns: 2, tokens: 2_000, ms: 1_000 };
  expect(isFarAbove(one, usual)).toBe(expected);
  expect(isFarAbove(one, undefined)).toBe(false);
});

it("is not far above where it differs by a turn or two", () => {
  const usual = { handoffs: 7, turns: 0, tokens: 0, ms: 1_000 };
  expect([2, 3].map((turns) => isFarAbove(rampUp(turns, 0), usual))).toEqual([false, true]);
  expect([4_999, 5_000].map((tokens) => isFarAbove(rampUp(0, tokens), usual))).toEqual([false, true]);
});

it("never finds more than half of the handoffs far above what is usual, and none where all are the same", () => {
  const figures = fc.record({ turns: fc.nat({ max: 60 }), tokens: fc.nat({ max: 90_000 }) });
  fc.assert(
    fc.property(fc.array(figures, { minLength: 5, maxLength: 40 }), (all) => {
      const rampUps = all.map(({ turns }) => rampUp(turns));
      const usual = usualRampUp(rampUps);
      const above = rampUps.filter((one) => isFarAbove(one, usual));
      expect(above.length).toBeLessThanOrEqual(rampUps.length / 2);
      const [{ turns, tokens } = { turns: 0, tokens: 0 }] = all;
      const same = all.map(() => rampUp(turns, tokens));
      expect(same.some((one) => isFarAbove(one, usualRampUp(same)))).toBe(false);
    }),
  );
});
