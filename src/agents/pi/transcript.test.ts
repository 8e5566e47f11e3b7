import { describe, expect, it } from "vitest";
import { lineEvents } from "./transcript.ts";

const events = (entry: unknown) => [...lineEvents(typeof entry === "string" ? entry : JSON.stringify(entry))];
const usage = { input: 3, output: 2, cacheRead: 1, cacheWrite: 0, cost: { total: 0.5 } };
const answer = (content: object[], more: object = {}) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:00Z",
  message: {
    role: "assistant",
    content,
    provider: "p",
    model: "m",
    usage,
    stopReason: "toolUse",
    timestamp: 7,
    ...more,
  },
});
const call = (name: string, input: object) => ({ type: "toolCall", id: "c1", name, arguments: input });
const does = (name: string, input: object) => events(answer([call(name, input)]))[0];

describe("a line of a session of pi's", () => {
  it("tells what was said, called and used", () => {
    expect(
      events(
        answer([
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "I look." },
        ]),
      ),
    ).toEqual([
      { type: "text", text: "I look." },
      {
        type: "response",
        id: "pi-7",
        model: "p/m",
        usage: { input: 3, output: 2, cacheRead: 1, cacheWrite: 0 },
        costUsd: 0.5,
        at: "2026-01-01T00:00:00Z",
      },
    ]);
    const said = { type: "message", message: { role: "user", content: [{ type: "text", text: "Hello." }] } };
    expect(events(said)).toEqual([{ type: "user", text: "Hello." }]);
    expect(events({ type: "compaction", tokensBefore: 9 })).toEqual([
      { type: "compaction:end", ok: true, before: 9 },
    ]);
    expect(events({ type: "session_info", name: "Mine" })).toEqual([
      { type: "title", title: "Mine", byPerson: true },
    ]);
  });

  it("tells what each tool does", () => {
    expect(does("bash", { command: "ls" })).toMatchObject({ does: { kind: "command", command: "ls" } });
    expect(does("read", { path: "a", offset: 5, limit: 2 })).toMatchObject({
      does: { kind: "read", path: "a", lines: { from: 5, to: 6 } },
    });
    expect(does("edit", { path: "a", edits: [{ oldText: "x", newText: "y" }] })).toMatchObject({
      does: { kind: "write", path: "a", changes: [{ removed: "x", added: "y" }] },
    });
    expect(does("grep", { pattern: "x", path: "src" })).toMatchObject({
      does: { kind: "search", pattern: "x", path: "src" },
    });
    expect(does("baton_submit_handoff", {})).toMatchObject({ does: { kind: "own" } });
    expect(does("write", { content: 3 })).toMatchObject({ does: { kind: "other" } });
  });

  it("tells how a call ended: of a new file, and of one that was cut off", () => {
    const end = (text: string, isError: boolean, details?: object) =>
      events({
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "c1",
          content: [{ type: "text", text }],
          isError,
          details,
        },
      });
    expect(end("Successfully wrote to a", false, { created: true })).toEqual([
      { type: "tool:end", id: "c1", ok: true, output: "Successfully wrote to a", made: { kind: "file" } },
    ]);
    expect(end("some\n\nCommand aborted", true)).toMatchObject([{ ok: false, interrupted: true }]);
  });

  it("holds nothing where it is broken, was never answered, or is none of ours", () => {
    expect(events("{broken")).toEqual([]);
    expect(events({ type: "message", message: { role: "user" } })).toEqual([]);
    expect(events({ type: "session", id: "x" })).toEqual([]);
    expect(events(answer([], { stopReason: "error", errorMessage: "429" }))).toEqual([]);
  });
});
