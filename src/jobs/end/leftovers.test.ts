import { describe, expect, it } from "vitest";
import type { JobEvent } from "../../job/events.ts";
import { apply } from "../../job/fold.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import { leftoverOf } from "./leftovers.ts";

const DAY = 24 * 60 * 60_000;
const settings = {
  enabled: true,
  intervalMs: DAY,
  maxWorktreeAgeMs: 7 * DAY,
  maxCheckpointAgeMs: 30 * DAY,
  cleanupOnStartup: true,
  pruneUnmergedBranches: false,
};
const began = Date.UTC(2026, 0, 1);

const creating: JobEvent = {
  type: "workspace:creating",
  repo: "/repo",
  path: "/repo/.worktrees/job-1",
  branch: "agent/coder/x",
  base: "b",
  baseBranch: "main",
  takenUp: false,
};
const ready: JobEvent = { type: "workspace:ready", strategy: "git_worktree", path: "/repo/.worktrees/job-1" };
const kept: JobEvent = { type: "workspace:kept", reason: "process 7 (zsh) works there" };
const removed = (branchKept: boolean): JobEvent => ({ type: "workspace:removed", branchKept, reason: "why" });
const completed: JobEvent = { type: "job:completed", result: "Done" };
const paused: JobEvent = { type: "job:paused", code: "thrash", message: "No room" };
const cutOff: JobEvent = { type: "job:interrupted", message: "killed" };

const jobAfter = (...events: JobEvent[]): Job =>
  events.reduce(
    (job, event, index) =>
      apply(job, { ...event, seq: index + 1, at: new Date(began).toISOString(), job: "job-1", attempt: 1 }),
    emptyJob("job-1"),
  );
const daysLater = (days: number) => new Date(began + days * DAY);
const asItIs = { claimed: false, folderGone: false };
const actionFor = (job: Job, days = 0, seen: Partial<typeof asItIs> = {}) =>
  leftoverOf(job, { ...asItIs, ...seen }, settings, daysLater(days)).action;

describe("what a job left", () => {
  it("stays while its job is at work, however old", () => {
    expect(actionFor(jobAfter(creating, ready), 100, { claimed: true })).toBe("keep");
    expect(actionFor(jobAfter(creating, ready, completed), 100, { claimed: true })).toBe("keep");
  });

  it.each([
    ["paused", paused],
    ["interrupted", cutOff],
  ])("stays while its job is %s and not old yet, then goes: a resume brings it back", (status, rests) => {
    const job = jobAfter(creating, ready, rests);
    expect(actionFor(job, 6)).toBe("keep");
    expect(leftoverOf(job, asItIs, settings, daysLater(8))).toEqual({
      action: "remove",
      reason: expect.stringMatching(`its job is ${status}, .*max_worktree_age.*baton resume job-1`),
    });
  });

  it("is tried again where it was too old and could not go, as nobody has worked in it since", () => {
    expect(actionFor(jobAfter(creating, ready, cutOff, kept), 1)).toBe("remove");
  });

  it("goes at once where somebody deleted its folder, unless its job is at work", () => {
    for (const rests of [paused, cutOff, completed]) {
      const job = jobAfter(creating, ready, rests);
      expect(leftoverOf(job, { ...asItIs, folderGone: true }, settings, daysLater(0))).toEqual({
        action: "remove",
        reason: "its folder is gone",
      });
    }
    expect(actionFor(jobAfter(creating, ready), 0, { claimed: true, folderGone: true })).toBe("keep");
  });

  it("goes when its job is over, and nothing else was said about it", () => {
    expect(actionFor(jobAfter(creating, ready, completed))).toBe("remove");
  });

  it("is tried again where it could not go, and says why it could not", () => {
    const job = jobAfter(creating, ready, kept, completed);
    expect(leftoverOf(job, asItIs, settings, daysLater(1))).toEqual({
      action: "remove",
      reason: "process 7 (zsh) works there",
    });
  });

  it("stays until it is old where the work in it was not published", () => {
    const closing: JobEvent = { type: "job:closing", outcome: "completed", text: "Done" };
    const job = jobAfter(creating, ready, closing, kept, { type: "job:failed", error: "not pushed" });
    expect(actionFor(job, 1)).toBe("keep");
    expect(actionFor(job, 8)).toBe("remove");
  });

  it("is discarded where it was never finished", () => {
    expect(actionFor(jobAfter(creating, cutOff))).toBe("discard");
  });

  it("is finished where its job was cut off at its end, and where its removal was", () => {
    const closing: JobEvent = { type: "job:closing", outcome: "completed", text: "Done" };
    const removing: JobEvent = { type: "workspace:removing", trash: "/t" };
    expect(actionFor(jobAfter(creating, ready, closing, cutOff))).toBe("finish");
    expect(actionFor(jobAfter(creating, ready, closing, removing, cutOff))).toBe("finish");
    expect(actionFor(jobAfter(creating, ready, closing, removing, removed(false), cutOff))).toBe("finish");
    expect(actionFor(jobAfter(creating, ready, completed, removing))).toBe("go-on-removing");
  });

  it("is a branch that goes unmerged only where the user said so and it is old", () => {
    const job = jobAfter(creating, ready, removed(true), completed);
    expect(leftoverOf(job, asItIs, settings, daysLater(100))).toMatchObject({ evenUnmerged: false });
    const prune = { ...settings, pruneUnmergedBranches: true };
    expect(leftoverOf(job, asItIs, prune, daysLater(1))).toMatchObject({ evenUnmerged: false });
    expect(leftoverOf(job, asItIs, prune, daysLater(8))).toMatchObject({ evenUnmerged: true });
  });
});
