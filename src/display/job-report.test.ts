import { expect, it } from "vitest";
import { workspaceAfter } from "../job/folds/workspace.ts";
import { emptyJob, type HandoffRecord, type Job, type SessionRecord } from "../job/job.ts";
import { RAMP_UP_BEGINS, type RampUp, type UsualRampUp } from "../job/ramp-up.ts";
import { jobView } from "../job/view.ts";
import { whereTheWorkIs } from "./job-end.ts";
import { jobReport, peakOf } from "./job-report.ts";
import { coloured, plain } from "./style.ts";

function session(ordinal: number, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: `session-${ordinal}`,
    ordinal,
    mode: "fresh",
    model: "claude-sonnet-4-5",
    transcript: null,
    contextWindow: 200_000,
    peakTokens: 181_000,
    turns: 1,
    endReason: "handoff",
    lastMessage: "request",
    costUsd: 0,
    costBasis: "told",
    earlierCostUsd: 0,
    earlierCostBasis: "told",
    ...changes,
  };
}

const handoff: HandoffRecord = {
  number: 1,
  fromSession: "session-1",
  toSession: "session-2",
  trigger: "threshold",
  source: "agent",
  outcome: "written",
  checks: [],
  reason: null,
  tokens: 181_000,
  contextWindow: 200_000,
  percent: 90.5,
  documentPath: "/home/you/.baton/handoffs/1.md",
  durationMs: 1_240,
  storedAt: "2026-01-01T00:05:00.000Z",
  archivedFrom: null,
};

const job: Job = {
  ...emptyJob("job-1"),
  agent: "coder",
  status: "paused",
  error: "The job has cost $5.00.",
  updatedAt: "2026-01-01T00:10:00.000Z",
  activeMs: 65_000,
  workspace: workspaceAfter(null, { type: "workspace:ready", strategy: "static", path: "/work" }),
  sessions: [session(1), session(2, { model: null, contextWindow: null, turns: 0, endReason: null })],
  handoffs: [handoff],
  usage: { input: 1_000, output: 2_500, cacheRead: 98_000, cacheWrite: 1_000 },
  costUsd: 5,
  turns: 1,
  deniedToolCalls: 2,
};

it("says when a job began and ended, and keeps within the screen", () => {
  const createdAt = "2026-01-01T00:02:00.000Z";
  const { length } = jobReport({ ...job, createdAt }, plain).split("\n");
  expect(jobReport({ ...job, createdAt }, plain)).toMatch(
    /^when {6}20\d\d-\d\d-\d\d \d\d:\d\d to \d\d:\d\d$/m,
  );
  expect(jobReport({ ...job, createdAt, status: "running" }, plain)).toMatch(/^when {6}since 20/m);
  const narrow = jobReport({ ...job, createdAt }, plain, { width: 60 }).split("\n");
  expect(narrow.length).toBeGreaterThan(length);
  for (const line of narrow) expect(line.length).toBeLessThanOrEqual(60);
});

it("says that tokens are unknown where no program told them", () => {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(jobReport({ ...job, usage, costBasis: "unknown" }, plain)).toContain(
    "usage     tokens unknown, cost unknown\n",
  );
});

it("says of how many answers the tokens are unknown where only some were told", () => {
  expect(jobReport({ ...job, uncounted: 2 }, plain)).toMatch(
    /received and those of 2 answers that are unknown,/,
  );
});

it("lists each switch of agents, with when and why", () => {
  const switched = { from: "coder", to: "cheap", message: "Until noon.", at: "2026-01-01T10:00:00.000Z" };
  const until = Date.parse("2026-01-01T12:00:00.000Z");
  const back = { ...switched, from: "cheap", to: "coder", reason: "reset" as const };
  const report = jobReport(
    { ...job, switches: [{ ...switched, reason: "usage_limit", until }, back] },
    plain,
  );
  expect(report).toMatch(
    /^switched {2}2026-01-01 \d\d:\d\d: coder → cheap, at a usage limit \(coder can work again from 2026-01-01 \d\d:\d\d\)\nswitched {2}2026-01-01 \d\d:\d\d: cheap → coder, which can work again$/m,
  );
});

it("shows the chain of sessions, with each handoff below the session that wrote it", () => {
  expect(jobReport(job, plain)).toBe(`job       job-1 paused
agent     coder
folder    /work
usage     100k tokens sent (98k from the cache), 2.5k received, $5.00
time      1:05, 1 turn
denied    2 tool calls
why       The job has cost $5.00.
session 1 session-1  claude-sonnet-4-5, 1 turn, peak 181k of 200k, handoff
          ⇄ handoff 1 /home/you/.baton/handoffs/1.md  written, at 90%, in 1.2 s
session 2 session-2  not started, 0 turns, interrupted`);
});

it("shows below a handoff what the next session spent and did again, and marks what is far above the median", () => {
  const rampUp: RampUp = {
    ...RAMP_UP_BEGINS,
    state: "reached",
    turns: 9,
    tokens: 31_000,
    ms: 95_000,
    readAgain: { count: 7, names: ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts", "g.ts"] },
    repeated: { count: 1, names: ["npm test"] },
  };
  const usual = { handoffs: 12, turns: 2, tokens: 4_000, ms: 10_000 };
  const lines = (one: RampUp, than?: UsualRampUp) =>
    jobReport({ ...job, handoffs: [{ ...handoff, rampUp: one }] }, plain, { usual: than })
      .split("\n")
      .slice(9, -1);
  const told =
    "            ramp-up: 9 turns, 31k tokens, 1:35; 7 files read again, 1 command repeated with the same result";
  expect(lines(rampUp)).toEqual([told]);
  expect(lines(rampUp, usual)).toEqual([
    told,
    "            far above the median of this agent (2 turns, 4.0k tokens over 12 handoffs); the next document should include what was read again: a.ts, b.ts, c.ts, d.ts, e.ts and 2 more; run again: npm test",
  ]);
  expect(lines({ ...rampUp, turns: 3, tokens: null, readAgain: RAMP_UP_BEGINS.readAgain }, usual)).toEqual([
    "            ramp-up: 3 turns, 1:35; 1 command repeated with the same result",
  ]);
  expect(lines({ ...RAMP_UP_BEGINS, ms: 4_000 })).toEqual([
    "            ramp-up: 0 turns, 0 tokens, 0:04 so far",
  ]);
  expect(lines({ ...RAMP_UP_BEGINS, state: "reached", ms: 4_000 })).toEqual([
    "            ramp-up: new work at once, after 0:04",
  ]);
  expect(lines({ ...RAMP_UP_BEGINS, state: "ended", turns: 30, tokens: 90_000 }, usual)).toEqual([
    "            ramp-up: no new work in 30 turns, 90k tokens, 0:00",
    "            far above the median of this agent (2 turns, 4.0k tokens over 12 handoffs)",
  ]);
});

it("shows how full the window of a session at work is, and what the last results added before a handoff", () => {
  const running: Job = {
    ...job,
    status: "running",
    sessions: [session(1), session(2, { peakTokens: 124_000, endReason: null })],
    handoffs: [{ ...handoff, tokens: 124_000, percent: 62, pending: 49_000 }],
    context: { tokens: 124_000, window: 200_000, percent: 62, pending: 49_000 },
  };
  const shown = jobReport(running, plain);
  expect(shown).toContain("written, at 62% (~86% with the last results), in 1.2 s");
  expect(shown).toContain("peak 124k of 200k, now ~173k of 200k (86%), running");
});

it("calls an estimated cost one, and shows no figure for one that is not known", () => {
  const usage = (costBasis: Job["costBasis"]) =>
    /received, (.*)/.exec(jobReport({ ...job, costBasis }, plain))?.[1];
  expect([usage("told"), usage("estimated"), usage("unknown")]).toEqual([
    "$5.00",
    "est. $5.00",
    "cost unknown",
  ]);
});

it("says that a job has stopped because it may not hand off again, as loudly as that it failed", () => {
  const header = (changes: Partial<Job>) => jobReport({ ...job, ...changes }, coloured).split("\n")[0];
  expect(header({ pauseCode: "max_handoffs" })).toContain(coloured("red", "paused, out of handoffs"));
  expect(header({ pauseCode: "max_handoffs", status: "cancelled" })).toContain(
    coloured("yellow", "cancelled"),
  );
  expect(header({ pauseCode: "max_turns" })).toContain(coloured("yellow", "paused"));
});

it("says of a session that was open when its job was cut off that it was interrupted, and not that it runs", () => {
  const open = { ...job, sessions: [session(1), session(2, { endReason: null })] };
  expect(jobReport({ ...open, status: "running" }, plain)).toMatch(/session-2 .*running/);
  expect(jobReport({ ...open, status: "interrupted" }, plain)).toMatch(/session-2 .*interrupted/);
  expect(jobView({ ...open, status: "interrupted" }).sessions[1]?.endReason).toBe("interrupted");
});

it("tells the peak of a job over all its sessions", () => {
  const peaks = [session(1, { peakTokens: 173_000 }), session(2, { peakTokens: 40_000 })];
  expect(peakOf({ ...job, sessions: peaks })).toBe("173k (86%)");
  expect(peakOf({ ...job, sessions: [] })).toBe("");
});

it("marks a peak that is estimated, and has none where no answer told it", () => {
  const estimated = { ...job, sessions: [session(1, { peakTokens: 100_000, peakIsEstimate: true })] };
  expect(peakOf(estimated)).toBe("~100k (~50%)");
  expect(jobReport(estimated, plain)).toContain("peak ~100k of 200k");
  expect(jobView(estimated).sessions).toMatchObject([{ peakTokens: 100_000, peakIsEstimate: true }]);

  const untold = { ...job, sessions: [session(1, { peakTokens: 0 })] };
  expect(peakOf(untold)).toBe("");
  expect(jobReport(untold, plain)).not.toContain("peak");
  expect(jobView(untold).sessions).toMatchObject([{ peakTokens: null }]);
});

it("does not name a branch that is gone as if it were there", () => {
  const workspace = removed({ branchKept: false });
  expect(jobReport({ ...job, workspace }, plain)).toContain("agent/1 (removed)");
});

it("says where the work of a job is that has stopped, also when its worktree is gone", () => {
  const where = (changes: Partial<Job>) => whereTheWorkIs({ ...job, checkpoint: null, ...changes });
  expect(where({})).toBe("The work so far stays in /work.");
  expect(where({ workspace: null })).toBe("It had not started.");
  expect(where({ workspace: removed({ branchKept: true }), checkpoint: "refs/baton/job-1/1" })).toBe(
    "Its worktree is removed. The work so far is on the branch agent/1 and in a checkpoint (`baton checkpoints job-1`).",
  );
  expect(where({ workspace: removed({ branchKept: false }) })).toBe("Its worktree is removed. It was empty.");
});

function removed({ branchKept }: { branchKept: boolean }) {
  const made = {
    repo: "/repo",
    path: "/w/job-1",
    branch: "agent/1",
    base: "c",
    baseBranch: "main",
    takenUp: false,
  };
  const creating = workspaceAfter(null, { type: "workspace:creating", ...made });
  return workspaceAfter(creating, { type: "workspace:removed", branchKept });
}

it("says what a person may have changed their mind about, where the job works on an item", () => {
  const job: Job = { ...emptyJob("job-1"), workItem: { id: "17" } };
  const conflict = { why: "it was closed", since: "2026-01-02T03:04:00" };
  expect(jobReport(job, plain, { conflict })).toContain(
    "work item 17\nconflict  it was closed 2026-01-02 03:04, and the job continues: end it with `baton cancel`",
  );
});
