import { expect, it } from "vitest";
import type { JobEvent } from "../job/events.ts";
import { eventLine } from "./event-line.ts";
import { plain } from "./style.ts";

const said = (event: JobEvent) =>
  eventLine({ seq: 1, at: "2026-01-01T00:00:00.000Z", job: "job-1", attempt: 1, ...event }, plain);

it("tells which job began, so that it can be named from elsewhere", () => {
  expect(said({ type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} })).toBe(
    "job-1 for coder",
  );
});

it("shows a tool call on one line, without what its input would do to the terminal", () => {
  const summary = "echo \u001b[2Jone\n two\u0007";
  expect(said({ type: "tool:start", session: "s", id: "t", name: "Bash", summary })).toBe(
    "  ⚒ Bash echo one two",
  );
});

it("keeps quiet about a tool that worked and shows why another failed", () => {
  const end = { type: "tool:end" as const, session: "s", id: "t", output: "exit 1\nmore" };
  expect(said({ ...end, ok: true })).toBeUndefined();
  expect(said({ ...end, ok: false })).toBe("    failed: exit 1");
});

it("never hides a denied tool call", () => {
  expect(said({ type: "tool:denied", session: "s", id: "t", name: "Write", message: "not allowed" })).toBe(
    "  ⚠ denied: Write. not allowed",
  );
});

it("shows the beginning of a long text and how much is left", () => {
  const text = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n");
  const lines = said({ type: "text", session: "s", text })?.split("\n") ?? [];
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)).toBe("  … 3 more lines");
});

it("says in words that the API failed, and when it is asked again", () => {
  const retry = { type: "retry" as const, session: "s", number: 1, of: 10, delayMs: 593 };
  expect(said({ ...retry, message: "The API failed (500)" })).toBe(
    "  ↻ The API failed (500); trying again in 0.6 s (1 of 10)",
  );
});

it("wraps its lines at the width of a screen, and cuts a call to it", () => {
  const at = (event: JobEvent) =>
    eventLine({ seq: 1, at: "", job: "job-1", attempt: 1, ...event }, plain, 24);
  expect(at({ type: "warning", message: "one two three four five" })).toBe(
    "  ⚠ one two three four\n    five",
  );
  expect(at({ type: "text", session: "s", text: "# One\n- two three four five six" })).toBe(
    "  One\n  • two three four five\n    six",
  );
  const summary = "echo one two three four five";
  expect(at({ type: "tool:start", session: "s", id: "t", name: "Bash", summary })).toBe(
    "  ⚒ Bash echo one two …",
  );
});

it("warns in per cent, tokens and turns", () => {
  const context = { tokens: 120_000, window: 200_000, percent: 60 };
  expect(said({ type: "context:warning", session: "s", level: 60, context, turnsLeft: 1 })).toBe(
    "  ⚠ window 60% used (120k of 200k), about 1 turn left",
  );
});

it("says when a document is not the agent's own, and why", () => {
  const stored = {
    type: "handoff:stored" as const,
    handoffNumber: 1,
    session: "s",
    source: "facts" as const,
    outcome: "from-facts" as const,
    checks: [],
    reason: "the session did not answer",
    documentPath: "/x/handoff-1.md",
    durationMs: 5,
  };
  expect(said(stored)).toBe("  stored /x/handoff-1.md (from facts: the session did not answer)");
});
