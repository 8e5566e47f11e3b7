import { describe, expect, it } from "vitest";
import { contextThresholdPayload, handoffPayload, jobPayload, sessionStartPayload } from "./payload.ts";

const session = { sessionId: "s-1", agent: "coder", jobId: "job-1", root: "/home/dev/myrepo" };
const inWorktree = {
  ...session,
  worktree: "/home/dev/myrepo/.worktrees/job-1",
  branch: "agent/coder/lin-42",
};
const context = { inputTokens: 184_000, contextWindow: 200_000, model: "claude-opus-5-5" };

describe("the payload of the threshold", () => {
  it("has the fields that the source lays down", () => {
    expect(
      contextThresholdPayload({ trigger: "threshold", context, session, prompt: "Do it." }),
    ).toStrictEqual({
      hook_event_name: "context_threshold",
      trigger: "threshold",
      context: {
        input_tokens: 184_000,
        context_window: 200_000,
        usage_percent: 0.92,
        remaining_percent: 0.08,
        model_name: "claude-opus-5-5",
      },
      session: {
        session_id: "s-1",
        agent_name: "coder",
        job_id: "job-1",
        working_directory: "/home/dev/myrepo",
      },
      original_prompt: "Do it.",
    });
  });

  it("names the repository, the worktree and the branch of a worktree job", () => {
    expect(
      contextThresholdPayload({ trigger: "threshold", context, session: inWorktree, prompt: "" }).session,
    ).toMatchObject({
      working_directory: "/home/dev/myrepo",
      worktree_path: "/home/dev/myrepo/.worktrees/job-1",
      branch_name: "agent/coder/lin-42",
    });
  });

  it("says which trigger fired", () => {
    const { trigger } = contextThresholdPayload({ trigger: "forecast", context, session, prompt: "" });
    expect(trigger).toBe("forecast");
  });

  it("splits the whole window into what is used and what remains, whatever the figure", () => {
    for (let inputTokens = 0; inputTokens <= 210_000; inputTokens += 7) {
      const full = { ...context, inputTokens };
      const told = contextThresholdPayload({
        trigger: "threshold",
        context: full,
        session,
        prompt: "",
      }).context;
      expect(told.usage_percent + told.remaining_percent).toBe(1);
      expect(told.remaining_percent).toBeGreaterThanOrEqual(0);
    }
  });
});

describe("the payload of a session's start", () => {
  it("says of a first session that it continues nothing", () => {
    expect(sessionStartPayload({ session, prompt: "Do it." })).toStrictEqual({
      hook_event_name: "session_start",
      session: {
        session_id: "s-1",
        agent_name: "coder",
        job_id: "job-1",
        working_directory: "/home/dev/myrepo",
        is_continuation: false,
        handoff_count: 0,
      },
      prompt: "Do it.",
    });
  });

  it("says what a continuation goes on from, in the worktree", () => {
    const continues = { handoff: 2, previousSessionId: "s-0", documentPath: "/tmp/2.md" };
    expect(sessionStartPayload({ session: inWorktree, prompt: "", continues }).session).toStrictEqual({
      session_id: "s-1",
      agent_name: "coder",
      job_id: "job-1",
      working_directory: "/home/dev/myrepo/.worktrees/job-1",
      worktree_path: "/home/dev/myrepo/.worktrees/job-1",
      branch_name: "agent/coder/lin-42",
      is_continuation: true,
      previous_session_id: "s-0",
      handoff_count: 2,
      document_path: "/tmp/2.md",
    });
  });
});

it("tells of a handoff from which session, why and to which document", () => {
  const handoff = { number: 1, trigger: "threshold", outcome: "checked", documentPath: "/tmp/1.md" };
  expect(handoffPayload({ handoff, session, context })).toMatchObject({
    hook_event_name: "handoff",
    handoff: {
      number: 1,
      trigger: "threshold",
      outcome: "checked",
      document_path: "/tmp/1.md",
      previous_session_id: "s-1",
    },
    session: { session_id: "s-1" },
    context: { usage_percent: 0.92 },
  });
  expect(handoffPayload({ handoff, session })).not.toHaveProperty("context");
});

describe("the payload of a job", () => {
  const job = {
    id: "job-1",
    agent: "coder",
    prompt: "Do it.",
    status: "running",
    startedAt: "2026-02-16T10:00:00.000Z",
    costUsd: 0,
    costIsEstimate: false,
    turns: 0,
    sessions: 0,
    handoffs: 0,
  };

  it("has no result before the run", () => {
    expect(jobPayload({ event: "before_run", job })).toStrictEqual({
      hook_event_name: "before_run",
      event: "before_run",
      job: {
        id: "job-1",
        agent_name: "coder",
        prompt: "Do it.",
        status: "running",
        started_at: "2026-02-16T10:00:00.000Z",
        cost_usd: 0,
        cost_estimated: false,
        turns: 0,
        sessions: 0,
        handoffs: 0,
      },
      agent: { id: "coder", name: "coder" },
      metadata: {},
    });
  });

  it("tells afterwards what came of it", () => {
    const done = {
      ...job,
      status: "completed",
      completedAt: "2026-02-16T10:01:30.000Z",
      durationMs: 90_000,
      branch: "agent/coder/lin-42",
      pullRequest: "https://example.com/pull/7",
      workItem: { id: "LIN-42", title: "Fix it" },
    };
    const payload = jobPayload({
      event: "completed",
      job: done,
      result: { success: true, output: "Done." },
      metadata: { schedule: "nightly" },
    });
    expect(payload).toMatchObject({
      job: {
        completed_at: "2026-02-16T10:01:30.000Z",
        duration_ms: 90_000,
        branch: "agent/coder/lin-42",
        pull_request: "https://example.com/pull/7",
        work_item: { id: "LIN-42", title: "Fix it" },
      },
      result: { success: true, output: "Done." },
      metadata: { schedule: "nightly" },
    });
  });
});
