import { describe, expect, it } from "vitest";
import { PHASES } from "./phase.ts";
import { Durations, planOf, VICTIMS } from "./plan.ts";

const options = { seed: 1, realShare: 0.1, victims: VICTIMS };
const plans = Array.from({ length: 400 }, (_, index) => planOf(index, options));

describe("the plan of a job", () => {
  it("is the same for the same seed and another for another", () => {
    expect(planOf(3, options)).toEqual(planOf(3, options));
    expect(planOf(3, options)).not.toEqual({ ...planOf(3, { ...options, seed: 2 }) });
  });

  it("kills in the order in which a job lives, and only where it gets to", () => {
    for (const { workspace, kills } of plans) {
      const places = kills.map(({ phase }) => PHASES.indexOf(phase));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      if (workspace === "static") expect(kills.map(({ phase }) => phase)).not.toContain("pushing");
      for (const { phase, victim } of kills) if (victim === "tool shell") expect(phase).toBe("working");
    }
  });

  it("hits every phase, every victim and both kinds of workspace, in few jobs already", () => {
    const few = plans.slice(0, 20);
    const kills = few.flatMap((plan) => plan.kills);
    expect(new Set(kills.map(({ phase }) => phase))).toEqual(new Set(PHASES));
    expect(new Set(kills.map(({ victim }) => victim))).toEqual(new Set(VICTIMS));
    expect(new Set(few.map(({ workspace }) => workspace))).toEqual(new Set(["static", "git_worktree"]));
  });

  it("runs the real program in the share of jobs that was asked for", () => {
    const real = plans.filter(({ agent }) => agent === "real").length;
    expect(real).toBeGreaterThan(20);
    expect(real).toBeLessThan(60);
    expect(planOf(1, { ...options, realShare: 0 }).agent).toBe("scripted");
    expect(planOf(1, { ...options, realShare: 1 }).agent).toBe("real");
  });

  it("spares whom the user spares", () => {
    const spared = Array.from({ length: 50 }, (_, index) =>
      planOf(index, { ...options, victims: ["baton"] }),
    );
    expect(new Set(spared.flatMap(({ kills }) => kills.map(({ victim }) => victim)))).toEqual(
      new Set(["baton"]),
    );
  });
});

it("how long a phase takes is guessed first, then learned, for each kind of agent", () => {
  const durations = new Durations();
  const guess = durations.of("real", "closing");
  for (const ms of [900, 10, 20]) durations.learn("scripted", "closing", ms);
  expect(durations.of("scripted", "closing")).toBe(20);
  expect(durations.of("real", "closing")).toBe(guess);
  for (let n = 0; n < 9; n++) durations.learn("scripted", "closing", 50);
  expect(durations.of("scripted", "closing")).toBe(50);
});
