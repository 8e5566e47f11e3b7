import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { thisProcess } from "../../processes/owner.ts";
import { type FleetState, openFleetState } from "../sqlite/fleet-state.ts";
import { endTurn, limitsIn, phaseOf, recordLimit, takeTurn } from "./accounts.ts";

const RESET = new Date("2026-11-18T17:00:00Z");
const at = (seconds: number) => new Date(RESET.getTime() + seconds * 1000);
const limit = { account: "a", label: "Claude Code", until: RESET.getTime(), message: "Limit reached." };
const DEAD = { ...thisProcess(), pid: 2 ** 22, startedAt: "never" };
let state: FleetState;

beforeEach(async () => {
  vi.stubEnv("XDG_STATE_HOME", await temporaryFolder());
  state = openFleetState();
});
afterEach(() => {
  state[Symbol.dispose]();
  vi.unstubAllEnvs();
});

const turn = (job: string, when: Date, owner = thisProcess()) => takeTurn(state, "a", { job, owner }, when);
const phase = (when: Date) => limitsIn(state).map((each) => phaseOf(each, when));

describe("the usage limit of an account", () => {
  it("holds every job of it until the reset, and no job of another", () => {
    expect(turn("one", at(-60))).toBe("free");
    recordLimit(state, { ...limit, isKnown: true });
    expect(turn("one", at(-1))).toBe("wait");
    expect(takeTurn(state, "b", { job: "one", owner: thisProcess() }, at(-1))).toBe("free");
    expect(phase(at(-1))).toEqual(["limited"]);
  });

  it("lets them go one by one after the reset, each when the one before was answered", () => {
    recordLimit(state, { ...limit, isKnown: true });
    expect(turn("one", at(0))).toBe("taken");
    expect(turn("two", at(1))).toBe("wait");
    expect(turn("one", at(1))).toBe("taken");
    endTurn(state, "a", "two", at(2));
    expect(turn("two", at(2))).toBe("wait");
    endTurn(state, "a", "one", at(3));
    expect(turn("two", at(3))).toBe("taken");
    expect(turn("three", at(3))).toBe("wait");
    endTurn(state, "a", "two", at(4));
    expect(phase(at(5))).toEqual(["one-by-one"]);
    expect(phase(at(70))).toEqual(["over"]);
    expect([turn("three", at(70)), turn("four", at(70))]).toEqual(["free", "free"]);
  });

  it("waits for nobody who has died, says nothing, or ended without an answer", () => {
    recordLimit(state, { ...limit, isKnown: true });
    expect(turn("dead", at(0), DEAD)).toBe("taken");
    expect(turn("slow", at(1))).toBe("taken");
    expect(turn("next", at(100))).toBe("wait");
    expect(turn("next", at(122))).toBe("taken");
    endTurn(state, "a", "next", null);
    expect(turn("last", at(123))).toBe("taken");
    expect(phase(at(500))).toEqual(["one-by-one"]);
  });

  it("is taken from who met it last; a guess makes no known time shorter", () => {
    recordLimit(state, { ...limit, isKnown: true });
    expect(turn("one", at(0))).toBe("taken");
    recordLimit(state, { ...limit, until: at(3_600).getTime(), isKnown: true });
    expect(turn("two", at(1))).toBe("wait");
    recordLimit(state, { ...limit, until: at(5).getTime(), isKnown: false });
    expect(limitsIn(state)).toMatchObject([{ until: at(3_600).getTime() }]);
    recordLimit(state, { ...limit, until: at(60).getTime(), isKnown: true });
    expect(turn("two", at(60))).toBe("taken");
  });
});
