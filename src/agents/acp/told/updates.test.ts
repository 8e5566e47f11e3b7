import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../events.ts";
import { quirksOf } from "../quirks.ts";
import type { Fields } from "../rpc.ts";
import type { ProgramRecord } from "./program-record.ts";
import { Updates } from "./updates.ts";
import { Window } from "./window.ts";

type Preset = Parameters<typeof quirksOf>[0];

function heardFrom(preset: Preset, ...updates: Fields[]) {
  return heardBeside(undefined, preset, ...updates);
}

function heardBeside(record: ProgramRecord | undefined, preset: Preset, ...updates: Fields[]) {
  let last = 0;
  const heard = new Updates({
    quirks: quirksOf(preset),
    model: "some",
    ownTools: ["submit_handoff"],
    window: new Window(),
    ...(record && { record }),
    newId: () => `id-${++last}`,
  });
  heard.turnBegins("Go.");
  const events = updates.flatMap((update) => [...heard.events(update)]);
  return { heard, events };
}

const quiet = (events: readonly AgentEvent[]) =>
  events.filter(({ type }) => type !== "activity" && type !== "text:delta");

const chunk = (text: string, messageId?: string): Fields => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const usage = (used: number, more: Fields = {}): Fields => ({
  sessionUpdate: "usage_update",
  used,
  size: 200_000,
  ...more,
});
const call = (id: string, more: Fields): Fields => ({ sessionUpdate: "tool_call", toolCallId: id, ...more });
const news = (id: string, more: Fields): Fields => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  ...more,
});

describe("what claude-agent-acp tells", () => {
  const bash = { _meta: { claudeCode: { toolName: "Bash" } } };
  const turn = [
    usage(100),
    chunk("I lo", "m1"),
    chunk("ok.", "m1"),
    call("t1", { ...bash, kind: "execute", status: "pending", rawInput: {}, title: "Terminal" }),
    news("t1", { ...bash, rawInput: { command: "make" } }),
    usage(120),
    news("t1", { ...bash, status: "completed", rawOutput: "built" }),
    usage(150),
    chunk("Done.", "m2"),
    usage(152),
    usage(152, { cost: { amount: 0.5, currency: "USD" } }),
  ];

  it("is a response for every two figures, and what it costs comes last", () => {
    const { heard, events } = heardFrom("claude-agent-acp", ...turn);
    expect(quiet([...events, ...heard.turnEnds(false)])).toMatchObject([
      { type: "text", text: "I look." },
      { type: "tool:start", id: "t1", name: "Bash", does: { kind: "command", command: "make" } },
      { type: "response", window: { tokens: 120 } },
      { type: "tool:end", id: "t1", ok: true, output: "built" },
      { type: "response", window: { tokens: 152 } },
      { type: "text", text: "Done." },
    ]);
    expect(heard.costUsd).toBe(0.5);
    expect(heard.signs).toEqual({ text: "Done.", words: "Done.", hasFailed: false });
  });

  it("counts no response where the program says in words alone why the turn has failed", () => {
    const { heard } = heardFrom("claude-agent-acp", chunk("API Error: 529 Overloaded", "m1"));
    heard.fails();
    expect([...heard.turnEnds(false)].map(({ type }) => type)).toEqual(["text"]);
  });

  it("has no words for a failure that came after a tool, and before the model said more", () => {
    const { heard } = heardFrom("claude-agent-acp", ...turn.slice(0, -3));
    expect(heard.signs).toMatchObject({ text: "I look.", words: "" });
  });

  it("leads to a boundary once every tool has ended, and away from it when the model speaks again", () => {
    const reached = turn.map((_, index) => heardFrom("claude-agent-acp", ...turn.slice(0, index + 1)).heard);
    expect(reached.map(({ isAtBoundary }) => isAtBoundary).indexOf(true)).toBe(6);
    expect(reached.at(7)?.isAtBoundary).toBe(false);
  });

  it("tells of a rule that forbids a call, and of what a subagent does apart", () => {
    const denied = "Permission denied: Permission to use Bash with command git push has been denied.";
    const { events } = heardFrom(
      "claude-agent-acp",
      call("t1", { ...bash, status: "in_progress", rawInput: { command: "git push" } }),
      news("t1", { ...bash, status: "failed", rawOutput: denied }),
      call("t2", {
        _meta: { claudeCode: { toolName: "Bash", parentToolUseId: "agent" } },
        status: "in_progress",
        rawInput: { command: "ls" },
      }),
    );
    expect(quiet(events)).toMatchObject([
      { type: "tool:start", id: "t1" },
      { type: "tool:denied", id: "t1", about: "git push", message: denied },
      { type: "response" },
      { type: "tool:end", id: "t1", ok: false },
      { type: "tool:start", id: "t2", subagent: "agent" },
    ]);
  });
});

describe("what codex-acp tells", () => {
  it("is a response after all its tools, with their output piece by piece and their exit code", () => {
    const { events, heard } = heardFrom(
      "codex-acp",
      call("c1", {
        name: "exec_command",
        kind: "execute",
        status: "in_progress",
        rawInput: { command: "make" },
      }),
      news("c1", { _meta: { terminal_output_delta: { data: "wro" } } }),
      news("c1", {
        status: "failed",
        _meta: { terminal_output_delta: { data: "ng\n" }, terminal_exit: { exit_code: 3 } },
      }),
    );
    expect(heard.isAtBoundary).toBe(false);
    expect(quiet([...events, ...heard.events(usage(7_000))])).toMatchObject([
      { type: "tool:start", does: { kind: "command", command: "make" } },
      { type: "tool:end", ok: false, output: "Exit code 3\nwrong" },
      { type: "response", window: { tokens: 7_000 } },
    ]);
    expect(heard.isAtBoundary).toBe(true);
  });

  it("is a failure where it says so beside its stream, however the turn ends", () => {
    const status = { codex: { threadStatus: { type: "systemError" } } };
    const { heard } = heardFrom(
      "codex-acp",
      { sessionUpdate: "session_info_update", _meta: status },
      chunk("exceeded retry limit, last status: 429 Too Many Requests"),
    );
    expect([...heard.turnEnds(false)].map(({ type }) => type)).toEqual(["text"]);
    expect(heard.signs).toMatchObject({ hasFailed: true, words: expect.stringContaining("429") });
  });

  it("counts no response whose stream was cut off, nor a figure that is told again", () => {
    const status = { codex: { threadStatus: { type: "systemError" } } };
    const { heard, events } = heardFrom(
      "codex-acp",
      chunk("Hello."),
      usage(7_000),
      chunk("Let me", "m2"),
      usage(7_000),
      { sessionUpdate: "session_info_update", _meta: status },
      chunk("stream disconnected before completion", "m3"),
    );
    const told = quiet([...events, ...heard.turnEnds(false)]).map(({ type }) => type);
    expect(told.sort()).toEqual(["response", "text", "text", "text"]);
  });
});

describe("what opencode tells", () => {
  it("is estimated until the turn is over, and exact then, without what a cancelled turn says", () => {
    const { events, heard } = heardFrom(
      "opencode",
      call("b1", { title: "Bash", kind: "execute", status: "pending", rawInput: { cwd: "/project" } }),
      news("b1", { title: "make", status: "in_progress", rawInput: { command: "make", cwd: "/project" } }),
      news("b1", { status: "completed", rawOutput: { output: "no", metadata: { exit: 3 } } }),
      chunk("Done."),
      usage(0, { cost: { amount: 0, currency: "USD" } }),
    );
    const rest = [...heard.turnEnds(false, { usage: { totalTokens: 8_220 } })];
    expect(quiet([...events, ...rest])).toMatchObject([
      { type: "tool:start", name: "Bash", does: { kind: "command", command: "make" }, about: "make" },
      { type: "response", window: { tokens: expect.any(Number), isEstimate: true } },
      { type: "tool:end", ok: false, output: "Exit code 3\nno" },
      { type: "text", text: "Done." },
      { type: "response", window: { tokens: 8_220 } },
    ]);
    expect(rest.at(-1)).not.toHaveProperty("window.isEstimate");
    expect(heard.costUsd).toBeUndefined();
  });
});

describe("what any program tells", () => {
  it("is a list of todos, an edit by its difference, and a tool of Baton's by its name", () => {
    const { events } = heardFrom(
      undefined,
      { sessionUpdate: "plan", entries: [{ content: "Write", status: "in_progress" }] },
      call("e1", {
        kind: "edit",
        title: "Editing files",
        status: "in_progress",
        content: [{ type: "diff", path: "/project/a.ts", oldText: "one", newText: "two" }],
      }),
      call("o1", { kind: "other", title: "baton_submit_handoff", status: "in_progress" }),
    );
    expect(events.flatMap((event) => (event.type === "tool:start" ? [event.does] : []))).toEqual([
      { kind: "todo", change: "list", todos: [{ text: "Write", status: "in_progress" }] },
      { kind: "write", path: "/project/a.ts", changes: [{ removed: "one", added: "two" }] },
      { kind: "own" },
    ]);
  });

  it("ends with whatever still runs when a turn is cut", () => {
    const { heard } = heardFrom(
      undefined,
      call("t1", { kind: "execute", title: "make", status: "in_progress" }),
    );
    heard.cut();
    expect([...heard.turnEnds(true)]).toMatchObject([
      { type: "tool:end", id: "t1", ok: false, interrupted: true },
    ]);
    expect(heard.running).toBe(0);
  });
});

describe("what Gemini CLI writes down", () => {
  const usage = { input: 400, output: 20, cacheRead: 8_000, cacheWrite: 0 };
  const turn = [
    chunk("Two commands."),
    call("t1", { kind: "execute", status: "in_progress", title: "make" }),
    news("t1", { status: "completed", content: [] }),
    call("t2", { kind: "execute", status: "in_progress", title: "make test" }),
    news("t2", { status: "completed", content: [] }),
  ];

  it("is a response with its tokens, as the first of its tools begins, and one for all of them", () => {
    const waiting = [[{ id: "a", usage }], []];
    const record = { responses: () => waiting.shift(), outputs: () => new Map(), turnBegins: () => {} };
    const { events } = heardBeside(record, "gemini", ...turn);
    expect(quiet(events).map(({ type }) => type)).toEqual([
      "text",
      "tool:start",
      "response",
      "tool:end",
      "tool:start",
      "tool:end",
    ]);
    expect(events).toContainEqual({ type: "response", id: "a", model: "some", usage });
  });

  it("is missed where it cannot be found: then the window is estimated", () => {
    const record = { responses: () => undefined, outputs: () => new Map(), turnBegins: () => {} };
    const [response] = heardBeside(record, "gemini", ...turn).events.filter(
      ({ type }) => type === "response",
    );
    expect(response).toMatchObject({ window: { isEstimate: true } });
  });
});

describe("once the turn is to end", () => {
  const command = { kind: "execute", title: "Run", rawInput: { command: "make" } };
  const begun = call("t1", { ...command, status: "in_progress" });
  const over = news("t1", { status: "completed" });
  const next = call("t2", { ...command, status: "in_progress" });

  function ending(preset: Preset, ...updates: Fields[]) {
    const { heard } = heardFrom(preset, begun, over);
    heard.endsHere();
    const events = updates.flatMap((update) => [...heard.events(update)]);
    const { toolCallId: toolCall } = updates.at(-1) ?? {};
    return [...events, ...heard.asked({ toolCallId: toolCall }), ...heard.turnEnds(true)];
  }

  it("tells of no call of a program that asks first: none of them begins", () => {
    for (const preset of ["opencode", "gemini"] as const) {
      const told = ending(preset, next, news("t2", { status: "failed" }));
      expect(told.filter(({ type }) => type.startsWith("tool:"))).toEqual([]);
    }
  });

  it("tells of one that has run without a question, and of what others have begun", () => {
    const ran = ending("gemini", next, news("t2", { status: "completed" }));
    expect(ran.map(({ type }) => type)).toEqual(expect.arrayContaining(["tool:start", "tool:end"]));
    const cut = ending(undefined, next);
    expect(cut).toContainEqual(expect.objectContaining({ type: "tool:end", id: "t2", interrupted: true }));
  });
});
