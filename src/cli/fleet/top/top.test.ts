import { describe, expect, it } from "vitest";
import type { TopView } from "../../../app/fleet/top.ts";
import { plain } from "../../../display/style.ts";
import { widthOf } from "../../../display/width.ts";
import { emptyJob, type Job } from "../../../job/job.ts";
import { fittedTo, pressed, type TopKey, type TopState } from "./keys.ts";
import { topScreen } from "./screen.ts";

const at = new Date("2026-11-18T10:00:00Z");
const job = (id: string, of: Partial<Job>): Job => ({
  ...emptyJob(`job-2026-11-18-${id}`),
  agent: "coder",
  prompt: "Do it",
  createdAt: at.toISOString(),
  updatedAt: at.toISOString(),
  ...of,
});
const running = job("aaaaaa", {
  status: "running",
  context: { tokens: 100_000, window: 200_000, percent: 50, handoffAt: 160_000 },
  pace: {
    base: { tokens: 1, cached: 0 },
    turns: 4,
    growth: 40_000,
    output: 1,
    misses: 0,
    written: { tokens: 0, hour: 0 },
  },
  tools: [{ id: "t", name: "Bash", summary: "npm test", startedAt: "2026-11-18T09:58:00Z" }],
  costUsd: 1.2,
  chosen: { maxCostUsd: 5 },
});
const waits = (id: string, position: number) => {
  const waiting = job(id, { status: "queued" });
  const reason = { code: "agent-full" as const, text: "coder is at 1 of 1" };
  return {
    job: waiting,
    place: { job: waiting.id, agent: "coder", priority: 0, position, queuedAt: "", reason },
  };
};
const view: TopView = {
  at,
  fleet: { state: "running", slots: { taken: 1, total: 4 }, running: [], queue: [] },
  agents: [],
  needYou: 0,
  isPaused: false,
  budgets: [],
  projects: new Map(),
  atWork: [running],
  queued: [waits("bbbbbb", 1), waits("cccccc", 2)],
  stopped: [job("dddddd", { status: "failed", error: "The \u001b[31mbuild broke: 日本語 ".repeat(20) })],
  completed: [job("eeeeee", { status: "completed", result: "All green" })],
};
const start = fittedTo({ scrolled: 0 }, view);
const press = (state: TopState, input: string, key: TopKey = {}) => pressed(state, view, input, key);

describe("the screen of baton top", () => {
  it("says of a job at work how full its window is, how long its tool has run, and what it may cost", () => {
    const lines = topScreen(view, start, { columns: 200, rows: 40 }, plain);
    expect(lines.find((line) => line.includes("aaaaaa"))).toMatch(
      /^› aaaaaa coder +● running +█+░*┃░* 50% +~6 turns +Bash \(2 min\) npm test +\$1\.20\/\$5\.00 +0:00$/,
    );
    expect(lines.find((line) => line.includes("cccccc"))).toMatch(/○ queued +2\. coder is at 1 of 1/);
  });

  it("says what keeps the fleet from its work", () => {
    const until = new Date(at.getTime() + 42 * 60_000).toISOString();
    const fleet: TopView["fleet"] = {
      ...view.fleet,
      limits: [{ account: "Claude Code", until, message: "" }],
      configurationProblem: { problem: "baton.yaml:1:1 agents must be a list", since: at.toISOString() },
    };
    const lines = topScreen({ ...view, fleet }, start, { columns: 200, rows: 40 }, plain);
    expect(lines[1]).toBe("The current baton.yaml is not used: baton.yaml:1:1 agents must be a list");
    expect(lines[2]).toMatch(
      /^Claude Code is at its usage limit, which resets at \d\d:\d\d, in 42 min: none of its jobs start/,
    );
    const halted = { since: at.toISOString(), by: "me" };
    const paused = [{ agent: "coder", since: at.toISOString() }];
    const held = topScreen(
      { ...view, fleet: { ...view.fleet, halted, paused } },
      start,
      { columns: 200, rows: 40 },
      plain,
    );
    expect(held[1]).toMatch(
      /^All work has been halted since .*, by me: nothing starts until baton unhalt\.$/,
    );
    expect(held[2]).toMatch(
      /^coder has been paused since .*: none of its jobs start until baton queue resume coder\.$/,
    );
  });

  it.each([20, 40, 60, 76, 100, 200])(
    "is never wider than %i columns, nor higher than its rows",
    (columns) => {
      for (const rows of [3, 8, 12, 40]) {
        const lines = topScreen(view, start, { columns, rows }, plain);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(Math.max(columns, 34));
        const opened = topScreen(
          view,
          { ...start, opened: running.id, scrolled: 99 },
          { columns, rows },
          plain,
        );
        expect(opened.length).toBeLessThanOrEqual(rows);
      }
    },
  );

  it("names the project of each job where there are several, and says what is left of budgets", () => {
    const budget = {
      ...({ agent: "coder", per: "day", costUsd: 5, action: "hold", simulated: false } as const),
    };
    const projects = new Map([
      [running.id, "/code/site"],
      [view.completed[0]?.id ?? "", "/code/shop"],
    ]);
    const times = { from: at, to: new Date("2026-11-19T00:00:00Z"), isEstimate: false };
    const budgets = [{ budget, spentUsd: 5.2, isUsedUp: true, ...times }];
    const lines = topScreen({ ...view, projects, budgets }, start, { columns: 80, rows: 40 }, plain);
    expect(lines.find((line) => line.includes("aaaaaa"))).toContain("site/coder");
    expect(lines.find((line) => line.includes("eeeeee"))).toContain("shop/coder");
    expect(lines[1]).toContain("Budget of coder: $5.20 of $5.00 today, used up until");
  });

  it("keeps the selected job on a screen that is too small for all", () => {
    const selected = view.completed[0]?.id;
    const lines = topScreen(view, { ...start, selected }, { columns: 100, rows: 8 }, plain);
    expect(lines.join("\n")).toMatch(/› eeeeee/);
    expect(lines.join("\n")).toMatch(/… \d more/);
  });
});

describe("the keys of baton top", () => {
  it("asks before it cancels or hands off, and does nothing on any other key than y", () => {
    const asked = press(start, "c");
    expect(asked).toEqual({
      state: { ...start, asks: { what: "cancel", job: running.id }, note: undefined },
    });
    expect(press(asked.state, "y").action).toEqual({ do: "cancel", job: running.id });
    expect(press(asked.state, "q")).toEqual({ state: { ...start, asks: undefined, note: undefined } });
    expect(press(press(start, "h").state, "y").action).toEqual({ do: "hand-off", job: running.id });
  });

  it("answers what an agent asks, bound to the call that is on the screen, until somebody else has", () => {
    const ask = {
      ...{ ask: "aaaaaa-1", session: "s", call: "c", name: "Bash", summary: "rm -rf build" },
      ...{ input: "command: rm -rf build\n\u001b[2Jgone", digest: "d", since: at.toISOString() },
    };
    const asking = { ...view, atWork: [{ ...running, asks: [ask] }] };
    const state = pressed(start, asking, "a", {}).state;
    const shown = topScreen(asking, state, { columns: 100, rows: 40 }, plain).join("\n");
    expect(shown).toMatch(/needs your yes: Bash \(aaaaaa-1\)\n {2}\| command: rm -rf build\n/);
    expect(shown).not.toContain("\u001b");
    expect(shown).toContain("Allow aaaaaa-1 as it is shown?  y yes  n no");
    expect(pressed(state, asking, "y", {}).action).toEqual({
      do: "approve",
      job: running.id,
      ask: "aaaaaa-1",
      digest: "d",
    });
    expect(pressed(state, asking, "", { downArrow: true }).state).toMatchObject({ asks: state.asks });
    const denied = pressed(start, asking, "d", {}).state;
    expect(pressed(denied, asking, "y", {}).action).toMatchObject({ do: "deny" });
    const other = { ...view, atWork: [{ ...running, asks: [{ ...ask, digest: "other" }] }] };
    for (const later of [view, other]) expect(fittedTo(state, later).asks).toBeUndefined();
    expect(press(start, "a").state.note).toContain("asks nothing");
  });

  it("moves as often as a key that is held down comes, and takes nothing else that comes in one piece", () => {
    expect(press(start, "jj").state.selected).toBe(view.queued[1]?.job.id);
    expect(press(press(start, "jjj").state, "kk").state.selected).toBe(view.queued[0]?.job.id);
    expect(press(start, "cy")).toEqual({ state: { ...start, note: undefined } });
  });

  it("says what cannot be done with a job", () => {
    const done = { ...start, selected: view.completed[0]?.id };
    expect(press(done, "c").state.note).toContain("nothing to cancel");
    expect(press(done, "h").state.note).toContain("only a job that runs");
    expect(press(start, "f").state.note).toContain("no place in the queue");
    expect(press({ ...start, selected: view.queued[1]?.job.id }, "f").action).toMatchObject({ to: "first" });
  });

  it("goes up and down to the ends, opens and closes, pauses, and leaves", () => {
    const last = press(start, "", { pageDown: true }).state;
    expect(last.selected).toBe(view.completed[0]?.id);
    expect(press(start, "", { upArrow: true }).state.selected).toBe(running.id);
    const opened = press(start, "", { return: true }).state;
    expect(opened.opened).toBe(running.id);
    expect(press(opened, "", { escape: true }).state.opened).toBeUndefined();
    expect(press(start, "p").action).toEqual({ do: "pause" });
    expect(pressed(start, { ...view, isPaused: true }, "p", {}).action).toEqual({ do: "resume" });
    expect(press(start, "c", { ctrl: true }).action).toEqual({ do: "quit" });
  });

  it("selects another job where the selected one is gone", () => {
    expect(fittedTo({ scrolled: 3, selected: "gone", opened: "gone" }, view)).toEqual({
      selected: running.id,
      opened: undefined,
      scrolled: 0,
    });
  });
});
