import { expect, it } from "vitest";
import { BOTTOM, laneShape, level } from "./geometry.ts";

it("draws a window from the beginning of its lane to the end, as full as it was last told to be", () => {
  const points = [
    { ms: 100, tokens: 20 },
    { ms: 400, tokens: 60 },
  ];
  const { line, area, last } = laneShape({ ms: 1_000, window: 100, points, gaps: [] }, 50, 200);
  const [low, high] = [level(0.2).toFixed(1), level(0.6).toFixed(1)];
  expect(line).toBe(`M50.0 ${low}L70.0 ${low}L130.0 ${high}L250.0 ${high}`);
  expect(area).toBe(`${line}V${BOTTOM}H50.0Z`);
  expect(last).toEqual({ x: 250, y: level(0.6) });
});

it("draws no curve for a session that has told nothing yet", () => {
  expect(laneShape({ ms: 0, window: null, points: [], gaps: [] }, 0, 200)).toMatchObject({
    line: "",
    area: "",
    last: undefined,
  });
});
