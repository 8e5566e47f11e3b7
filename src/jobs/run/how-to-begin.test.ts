import { describe, expect, it } from "vitest";
import { emptyAccount } from "../../handoff/account.ts";
import type { DocumentHead } from "../../handoff/document.ts";
import type { JobEvent } from "../../job/events.ts";
import { apply } from "../../job/fold.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import { startOf } from "./how-to-begin.ts";

const at = "2026-01-01T00:00:00.000Z";

function jobAfter(...events: JobEvent[]): Job {
  return events.reduce(
    (job, event, index) => apply(job, { seq: index + 1, at, job: job.id, attempt: 1, ...event }),
    emptyJob("job-2026-01-01-abc123"),
  );
}

const created: JobEvent = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} };
const starting = (session: string, ordinal: number): JobEvent => ({
  type: "session:starting",
  session,
  ordinal,
  mode: ordinal === 1 ? "fresh" : "continuation",
});
const told = (session: string): JobEvent => ({
  type: "message:sent",
  session,
  kind: "request",
  text: "Do it",
});
const ended = (session: string, reason: "handoff" | "out-of-context" | "interrupted"): JobEvent => ({
  type: "session:ended",
  session,
  reason,
});
const handoffBegun: JobEvent = {
  type: "context:handoff:start",
  agentName: "coder",
  jobId: "job-2026-01-01-abc123",
  oldSessionId: "a",
  usagePercent: 0.9,
  inputTokens: 180_000,
  contextWindow: 200_000,
  trigger: "threshold",
  handoffNumber: 1,
};
const handoffStored = {
  type: "handoff:stored",
  handoffNumber: 1,
  session: "a",
  source: "agent",
  outcome: "written",
  checks: [],
  documentPath: "handoff.md",
  durationMs: 1,
} satisfies JobEvent;
const handoffComplete: JobEvent = {
  type: "context:handoff:complete",
  agentName: "coder",
  jobId: "job-2026-01-01-abc123",
  oldSessionId: "a",
  newSessionId: "b",
  handoffNumber: 1,
};
const handedOff = [created, starting("a", 1), told("a"), handoffBegun, handoffStored, ended("a", "handoff")];
const inSecondSession = [...handedOff, starting("b", 2), handoffComplete];

describe("a job that is picked up", () => {
  it("begins afresh when no session is on record", () => {
    expect(startOf(jobAfter(created), "nothing")).toEqual({ mode: "fresh" });
  });

  it("begins afresh when its first session was told nothing", () => {
    expect(startOf(jobAfter(created, starting("a", 1)), "session")).toEqual({ mode: "fresh" });
  });

  it("begins with the document that it continues, until a session has heard it", () => {
    const continuing = { ...created, continues: { document: "notes.md" } };
    const fromDocument = { mode: "document", document: "notes.md", recorded: false };
    expect(startOf(jobAfter(continuing), "nothing")).toEqual(fromDocument);
    expect(startOf(jobAfter(continuing, starting("a", 1)), "session")).toEqual(fromDocument);
    const heard = jobAfter(continuing, starting("a", 1), told("a"));
    expect(startOf(heard, "session")).toMatchObject({ mode: "resumed", session: { id: "a" } });
    expect(startOf(heard, "nothing")).toEqual(fromDocument);
  });

  it("goes on in its last session while the agent program still holds that", () => {
    const job = jobAfter(created, starting("a", 1), told("a"), ended("a", "interrupted"));
    expect(startOf(job, "session")).toMatchObject({ mode: "resumed", session: { id: "a" }, handOff: false });
  });

  it("hands off first when it was cut off during a handoff", () => {
    const job = jobAfter(created, starting("a", 1), told("a"), handoffBegun);
    expect(startOf(job, "session")).toMatchObject({ mode: "resumed", session: { id: "a" }, handOff: true });
  });

  it("stores a document first that found no room, whatever is left of its session", () => {
    const { type: _, documentPath: __, ...how } = handoffStored;
    const document = { head: {} as DocumentHead, account: emptyAccount(), facts: "" };
    const unstored: JobEvent = { ...how, type: "handoff:unstored", document, order: [] };
    const job = jobAfter(created, starting("a", 1), told("a"), handoffBegun, unstored);
    expect(startOf(job, "session")).toEqual({ mode: "unstored" });
    expect(startOf(job, "nothing")).toEqual({ mode: "unstored" });
  });

  it("hands off first when a hook stopped it at a full window", () => {
    const job = jobAfter(created, starting("a", 1), told("a"), ended("a", "handoff"));
    expect(startOf(job, "session")).toMatchObject({ mode: "resumed", session: { id: "a" }, handOff: true });
  });

  it("begins afresh when its session is gone and nothing was ever handed over", () => {
    expect(startOf(jobAfter(created, starting("a", 1), told("a")), "nothing")).toEqual({ mode: "fresh" });
    const job = jobAfter(created, starting("a", 1), told("a"), handoffBegun);
    expect(startOf(job, "nothing")).toEqual({ mode: "fresh" });
  });

  it("goes on from facts when its last session overflowed", () => {
    const job = jobAfter(created, starting("a", 1), told("a"), ended("a", "out-of-context"));
    expect(startOf(job, "session")).toMatchObject({ mode: "facts", session: { id: "a" } });
  });

  it.each(["session", "transcript", "nothing"] as const)(
    "goes on from a document that no session has taken over (left: %s)",
    (left) => {
      expect(startOf(jobAfter(...handedOff), left)).toMatchObject({
        mode: "continuation",
        handoff: { number: 1, documentPath: "handoff.md" },
      });
    },
  );

  it("hands on the facts of a session whose agent no longer has it, and never resumes that with another", () => {
    const switched: JobEvent = {
      type: "agent:switched",
      from: "coder",
      to: "cheap",
      reason: "usage_limit",
      message: "Limit.",
    };
    const context = { tokens: 1, window: 2, percent: 50 };
    const answered: JobEvent = { type: "response", session: "a", model: "m", context };
    const worked = jobAfter(created, starting("a", 1), told("a"), answered, switched);
    expect(startOf(worked, "session")).toMatchObject({ mode: "facts", session: { id: "a" } });
    expect(startOf(worked, "nothing")).toMatchObject({ mode: "facts" });
    expect(startOf(jobAfter(created, starting("a", 1), told("a"), switched), "session")).toEqual({
      mode: "fresh",
    });
  });

  it("goes on from the last document when the session after it was told nothing or is gone", () => {
    const fromFirst = { mode: "continuation", handoff: { number: 1 } };
    expect(startOf(jobAfter(...inSecondSession), "session")).toMatchObject(fromFirst);
    expect(startOf(jobAfter(...inSecondSession, told("b")), "nothing")).toMatchObject(fromFirst);
  });

  it("goes on from the facts of a session that its program cannot resume, not from the document before it", () => {
    const context = { tokens: 1, window: 2, percent: 50 };
    const answered: JobEvent = { type: "response", session: "b", model: "m", context };
    const worked = jobAfter(...inSecondSession, told("b"), answered);
    expect(startOf(worked, "transcript")).toMatchObject({ mode: "facts", session: { id: "b" } });
    expect(startOf(worked, "nothing")).toMatchObject({ mode: "continuation" });
    const idle = jobAfter(...inSecondSession, told("b"));
    expect(startOf(idle, "transcript")).toMatchObject({ mode: "continuation" });
  });

  it("goes on in the session after a handoff once that has begun its work", () => {
    const job = jobAfter(...inSecondSession, told("b"));
    expect(startOf(job, "session")).toMatchObject({ mode: "resumed", session: { id: "b" }, handOff: false });
  });
});
