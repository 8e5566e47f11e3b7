import { expect, it } from "vitest";
import { coloured, onScreen, plain } from "../display/style.ts";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { chatLine, saidLine } from "./lines.ts";

const session = "s";

function inJournal(event: JobEvent): JournalEvent {
  return { seq: 1, at: "2026-11-15T20:00:00.000Z", job: "job-1", attempt: 1, ...event };
}

const complete: JobEvent = {
  type: "context:handoff:complete",
  agentName: "coder",
  jobId: "job-1",
  oldSessionId: "s",
  newSessionId: "t",
  handoffNumber: 1,
};

it.each<[JobEvent, string | undefined]>([
  [{ type: "message:sent", session, kind: "request", text: "one\ntwo" }, "\n› one\n  two"],
  [{ type: "message:sent", session, kind: "said", text: "more" }, "\n› more"],
  [{ type: "message:sent", session, kind: "continuation", text: "You take over" }, undefined],
  [{ type: "text", session, text: "a\nb\nc\nd\ne\nf\ng\nh\n" }, "\na\nb\nc\nd\ne\nf\ng\nh"],
  [{ type: "text", session, text: " \n" }, undefined],
  [{ type: "text", session, text: "\u001b[2Jgone" }, "\ngone"],
  [{ type: "tool:start", session, id: "1", name: "Bash", summary: "npm test" }, "  ⚒ Bash npm test"],
  [{ type: "tool:start", session, id: "1", name: "mcp__baton__submit_handoff", summary: "" }, undefined],
  [{ type: "handoff:cancelled", session, stage: "writing" }, "Handoff cancelled"],
  [
    { type: "handoff:failed", session, message: "the answer was empty" },
    "Handoff failed: the answer was empty",
  ],
  [{ type: "handoff:refused", message: "Nothing to hand off yet" }, "Nothing to hand off yet"],
  [complete, "New session started with handoff context"],
  [{ type: "session:starting", session, ordinal: 2, mode: "continuation" }, undefined],
  [{ type: "job:completed", result: "Done." }, undefined],
])("shows %j as %j", (event, line) => {
  expect(chatLine(inJournal(event), plain)).toBe(line);
});

it("tells what was cancelled from what failed by more than words", () => {
  const [cancelled, failed] = [
    chatLine(inJournal({ type: "handoff:cancelled", session, stage: "writing" }), coloured),
    chatLine(inJournal({ type: "handoff:failed", session, message: "no" }), coloured),
  ];
  expect(onScreen(cancelled ?? "")).toContain("\u001b[33m");
  expect(onScreen(failed ?? "")).toContain("\u001b[31m");
});

it("keeps the lines of a message together", () => {
  expect(saidLine("one\ntwo\n", plain)).toBe("› one\n  two");
});
