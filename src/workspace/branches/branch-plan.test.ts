import { describe, expect, it } from "vitest";
import { planBranch } from "./branch-plan.ts";

const local = { commit: "l", hasWork: true, ours: true };
const remote = { commit: "r", hasWork: true, inBase: false };
const held = (at: "work" | "rest" | "due" | "end" | "elsewhere") => ({
  holder: { at, job: "job-1", path: "/w", folderGone: false },
});

describe("the branch of a job", () => {
  it("is made from the base where there is none", () => {
    expect(planBranch({})).toEqual({ kind: "create", from: "base", takenUp: false });
  });

  it("is continued where it holds unmerged work of an earlier job, with what the remote has more", () => {
    expect(planBranch({ local })).toEqual({ kind: "take-up", commit: "l" });
    expect(planBranch({ local, remote, against: "ahead" })).toEqual({ kind: "take-up", commit: "l" });
    expect(planBranch({ local, remote, against: "behind" })).toEqual({
      kind: "take-up",
      commit: "l",
      forward: "r",
    });
    expect(planBranch({ remote })).toEqual({ kind: "create", from: "r", takenUp: true });
  });

  it("is made again where a stale one is left whose work is merged", () => {
    const merged = { ...local, hasWork: false };
    expect(planBranch({ local: merged })).toEqual({
      kind: "create",
      from: "base",
      takenUp: false,
      replaces: "l",
    });
  });

  it.each([
    ["a person's branch with work", { local: { ...local, ours: false } }],
    ["a person's branch without", { local: { ...local, ours: false, hasWork: false } }],
    ["one that has diverged", { local, remote, against: "diverged" as const }],
    ["a squash-merged one that the remote still has", { remote: { ...remote, hasWork: false } }],
  ])("gets another name beside %s", (_what, facts) => {
    expect(planBranch(facts)).toMatchObject({ kind: "other-name" });
  });

  it("is another's while that job is at work or may be resumed, and in a worktree of somebody's", () => {
    expect(planBranch({ local, ...held("work") })).toMatchObject({ kind: "conflict", with: { at: "work" } });
    expect(planBranch({ local, ...held("rest") })).toMatchObject({ kind: "conflict", with: { at: "rest" } });
    expect(planBranch({ local, ...held("elsewhere") })).toMatchObject({ kind: "conflict" });
    expect(planBranch({ local, ...held("end") })).toEqual({ kind: "clear", job: "job-1" });
  });

  it("is free again once the worktree of a job at rest is due to go", () => {
    expect(planBranch({ local, ...held("due") })).toEqual({ kind: "clear", job: "job-1" });
  });
});
