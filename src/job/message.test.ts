import { expect, it } from "vitest";
import type { WorkspaceRecord } from "../workspace/workspace.ts";
import type { Milestone } from "./describe.ts";
import { emptyJob, type HandoffRecord, type Job, type SessionRecord } from "./job.ts";
import { messageAbout } from "./message.ts";

const worktree = (proposal: string | null) =>
  ({ path: "/w", repo: "/r", branch: "agent/coder/lin-42", proposal }) as WorkspaceRecord;

const job: Job = {
  ...emptyJob("job-1"),
  agent: "coder",
  prompt: "Fix the tests. ",
  createdAt: "2026-02-16T10:00:00.000Z",
  activeSince: "2026-02-16T10:00:00.000Z",
  costUsd: 1.239,
  sessions: [{ id: "s", ordinal: 1, model: "claude-opus-5-5" } as SessionRecord],
  handoffs: [{ number: 2, percent: 60.4 } as HandoffRecord],
};
const now = new Date("2026-02-16T11:20:00.000Z");

const factsOf = (event: Milestone, of: Job = job) =>
  messageAbout(event, of, now).facts.map(({ label, value, link }) => `${label}: ${value}${link ? " →" : ""}`);

it("says whose job it is, before what happened to it", () => {
  expect(messageAbout({ type: "job:completed", result: " All tests pass.\n" }, job, now)).toMatchObject({
    tone: "good",
    title: "coder: completed",
    text: "All tests pass.",
  });
});

it("tells what a job that begins is asked for", () => {
  expect(messageAbout({ type: "job:started" }, job, now)).toMatchObject({
    tone: "plain",
    title: "coder: started",
    text: "Fix the tests.",
  });
  expect(factsOf({ type: "job:started" })).toEqual([
    "Agent: coder",
    "Job: job-1",
    "Outcome: running",
    "Cost: $1.24",
    "Handoffs: 1",
  ]);
});

it("tells what became of a job", () => {
  const of: Job = {
    ...job,
    workspace: worktree("https://github.com/acme/shop/pull/7"),
    workItem: { id: "LIN-42", title: "Fix the tests" },
  };
  expect(factsOf({ type: "job:timeout", message: "It took too long." }, of)).toEqual([
    "Agent: coder",
    "Job: job-1",
    "Outcome: timeout",
    "Work item: LIN-42: Fix the tests",
    "Duration: 1 h 20 min",
    "Cost: $1.24",
    "Handoffs: 1",
    "Branch: agent/coder/lin-42",
    "Pull request: https://github.com/acme/shop/pull/7 →",
  ]);
});

it.each([["javascript:alert(1)|<x>"], [`https://example.com/${"a".repeat(5_000)}`], ["no address"]])(
  "makes no link of what leads nowhere: %.30s",
  (address) => {
    const facts = factsOf({ type: "job:failed", error: "" }, { ...job, workspace: worktree(address) });
    expect(facts.at(-1)).toBe(`Pull request: ${address}`);
  },
);

it("tells of a window, a session and a handoff where they are", () => {
  const context = { tokens: 184_000, window: 200_000, percent: 92 };
  const of: Job = { ...job, workspace: worktree(null) };
  const warning = messageAbout({ type: "context:warning", session: "s", context }, of, now);
  expect(warning.title).toBe("coder: window 92% used (184k of 200k)");
  const where = ["Agent: coder", "Job: job-1", "Branch: agent/coder/lin-42"];
  expect(factsOf({ type: "context:warning", session: "s", context }, of)).toEqual([
    ...where,
    "Model: claude-opus-5-5",
  ]);
  const starting = { type: "session:starting", session: "s", ordinal: 3, mode: "continuation" } as const;
  expect(messageAbout(starting, of, now).title).toBe("coder: session 3, from the handoff");
  expect(factsOf(starting, of)).toEqual(where);
  const stored = {
    type: "handoff:stored",
    handoffNumber: 2,
    session: "s",
    outcome: "written",
    documentPath: "/tmp/2.md",
  } as const;
  expect(messageAbout(stored, of, now).title).toBe("coder: handoff 2");
  expect(factsOf(stored, of)).toEqual([...where, "Context: 60% used", "Document: /tmp/2.md"]);
});

it("does not know a branch of a job that works in the user's own folder", () => {
  const of: Job = { ...job, workspace: { ...worktree(null), repo: null } };
  expect(factsOf({ type: "session:starting", session: "s", ordinal: 1, mode: "fresh" }, of)).toEqual([
    "Agent: coder",
    "Job: job-1",
  ]);
});
