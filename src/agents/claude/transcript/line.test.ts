import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../events.ts";
import { lineEvents } from "./line.ts";

const USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 810,
  cache_read_input_tokens: 165_006,
  output_tokens: 405,
};

function eventsOf(entry: unknown): AgentEvent[] {
  return lineEvents(JSON.stringify(entry));
}

function createAssistant(content: unknown, more: Record<string, unknown> = {}) {
  const message = { id: "msg_1", model: "claude-opus-4-6", role: "assistant", content, usage: USAGE };
  return { isSidechain: false, sessionId: "s", version: "2.1.325", type: "assistant", message, ...more };
}

function createToolResult(result: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const content = [{ type: "tool_result", tool_use_id: "toolu_1", ...result }];
  return { isSidechain: false, type: "user", message: { role: "user", content }, ...more };
}

const response = {
  type: "response",
  id: "msg_1",
  model: "claude-opus-4-6",
  usage: { input: 3, cacheWrite: 810, cacheRead: 165_006, output: 405 },
  costUsd: 0.0977055,
};

describe("a transcript line", () => {
  it("of the assistant gives its usage, its text and its tool calls", () => {
    const content = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Grüße 👋" },
      { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
    ];
    expect(eventsOf(createAssistant(content))).toEqual([
      response,
      { type: "text", text: "Grüße 👋" },
      {
        type: "tool:start",
        id: "toolu_1",
        name: "Bash",
        does: { kind: "command", command: "ls" },
        about: "ls",
        input: { command: "ls" },
      },
    ]);
  });

  it("with the title of the session tells it, and whose it is", () => {
    const title = { type: "title", title: "The shed" };
    expect(eventsOf({ type: "ai-title", aiTitle: "The shed", sessionId: "s" })).toEqual([
      { ...title, byPerson: false },
    ]);
    expect(eventsOf({ type: "custom-title", customTitle: "The shed", sessionId: "s" })).toEqual([
      { ...title, byPerson: true },
    ]);
  });

  it("that no model wrote counts as no response", () => {
    const entry = createAssistant([{ type: "text", text: "API Error" }]);
    const message = { ...entry.message, model: "<synthetic>" };
    expect(eventsOf({ ...entry, message })).toEqual([{ type: "text", text: "API Error" }]);
  });

  it("with the result of a call that made something says what", () => {
    expect(eventsOf(createToolResult({ content: "File created successfully at: /a.ts" }))).toMatchObject([
      { type: "tool:end", made: { kind: "file" } },
    ]);
  });

  it("with tool results gives their text and whether they failed", () => {
    expect(eventsOf(createToolResult({ content: "done" }))).toEqual([
      { type: "tool:end", id: "toolu_1", ok: true, output: "done" },
    ]);
    const parts = [{ type: "text", text: "one" }, { type: "image" }, { type: "text", text: "two" }];
    expect(eventsOf(createToolResult({ content: parts, is_error: true }))).toEqual([
      { type: "tool:end", id: "toolu_1", ok: false, output: "one\ntwo" },
    ]);
  });

  it("of a sidechain belongs to its subagent", () => {
    const sidechain = { isSidechain: true, agentId: "a93ccab" };
    expect(eventsOf(createAssistant([], sidechain))).toEqual([{ ...response, subagent: "a93ccab" }]);
    expect(eventsOf(createToolResult({ content: "x" }, sidechain))).toMatchObject([{ subagent: "a93ccab" }]);
    expect(eventsOf(createAssistant([], { isSidechain: true }))).toMatchObject([{ subagent: "subagent" }]);
  });

  it("of a subagent's progress belongs to that subagent", () => {
    const data = {
      type: "agent_progress",
      agentId: "a93ccab",
      message: createAssistant([{ type: "text", text: "x" }]),
    };
    expect(eventsOf({ isSidechain: false, type: "progress", data })).toEqual([
      { ...response, subagent: "a93ccab" },
      { type: "text", text: "x", subagent: "a93ccab" },
    ]);
  });

  it("of a compaction gives what there was before and what is left, where it is known", () => {
    const boundary = { type: "system", subtype: "compact_boundary", isSidechain: false };
    const now = { ...boundary, compactMetadata: { trigger: "auto", preTokens: 167_094, postTokens: 2_568 } };
    expect(eventsOf(now)).toEqual([{ type: "compaction:end", ok: true, before: 167_094, after: 2_568 }]);
    expect(eventsOf({ ...boundary, compactMetadata: { preTokens: 167_094 } })).toEqual([
      { type: "compaction:end", ok: true, before: 167_094 },
    ]);
    expect(eventsOf(boundary)).toEqual([{ type: "compaction:end", ok: true }]);
  });

  it("of a subagent's own compaction leaves the main thread alone", () => {
    expect(eventsOf({ type: "system", subtype: "compact_boundary", isSidechain: true })).toEqual([]);
  });

  it("that names the model keeps its [1m]", () => {
    const attachment = { type: "model", identity: { modelId: "claude-sonnet-4-5[1m]" } };
    expect(eventsOf({ type: "attachment", attachment, sessionId: "s", version: "2.1.325" })).toEqual([
      { type: "init", sessionId: "s", model: "claude-sonnet-4-5[1m]", program: "Claude Code 2.1.325" },
    ]);
  });

  it("with the user's words gives them, word for word", () => {
    const said = { type: "user", message: { role: "user", content: "please, do not push" } };
    expect(lineEvents(JSON.stringify(said))).toEqual([{ type: "user", text: "please, do not push" }]);
  });

  it("with a call that the user refused gives what they said to do instead", () => {
    const refused =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
    const output = `${refused} To tell you how to proceed, the user said:\nwe already on a branch,\ndouble check parent`;
    const ended = { type: "tool:end", id: "toolu_1", ok: false, output, interrupted: true, refused: true };
    expect(eventsOf(createToolResult({ content: output, is_error: true }))).toEqual([
      ended,
      { type: "user", text: "we already on a branch,\ndouble check parent" },
    ]);
    const silent = `${refused} STOP what you are doing and wait for the user to tell you how to proceed.`;
    const sidechain = { isSidechain: true, agentId: "a1" };
    expect(eventsOf(createToolResult({ content: silent, is_error: true }))).toEqual([
      { type: "tool:end", id: "toolu_1", ok: false, output: silent, interrupted: true },
    ]);
    expect(eventsOf(createToolResult({ content: output }))).toHaveLength(1);
    expect(eventsOf(createToolResult({ content: output, is_error: true }, sidechain))).toHaveLength(1);
  });

  it("with what was sent while the agent works tells it, and what became of it", () => {
    const queue = (operation: string, more: object = {}) =>
      eventsOf({ type: "queue-operation", operation, sessionId: "s", ...more });
    const content = "and never push";
    expect(queue("enqueue", { content })).toEqual([{ type: "queued", text: content }]);
    expect(queue("popAll", { content })).toEqual([{ type: "unqueued", text: content, heard: false }]);
    expect(queue("remove", { content, reason: "dropped_by_hook" })).toEqual([
      { type: "unqueued", text: content, heard: false },
    ]);
    // Versions that write nothing else of it.
    expect(queue("remove")).toEqual([{ type: "unqueued", heard: true }]);
    // An entry of its own follows.
    expect(queue("remove", { content, reason: "absorbed_mid_turn" })).toEqual([]);
    expect(queue("dequeue")).toEqual([]);
    const attachment = { type: "queued_command", prompt: content, commandMode: "prompt" };
    const heard = (more: object) => eventsOf({ type: "attachment", attachment: { ...attachment, ...more } });
    expect(heard({ origin: { kind: "human" } })).toEqual([{ type: "user", text: content, midTurn: true }]);
    expect(heard({ prompt: [{ type: "text", text: content }] })).toEqual([
      { type: "user", text: content, midTurn: true },
    ]);
    for (const other of [{ kind: "peer" }, { kind: "task-notification" }])
      expect(heard({ origin: other })).toEqual([]);
    for (const notice of ["<task-notification>\n<task-id>b</task-id>", "/compact now", "/probe:greet"])
      expect(queue("enqueue", { content: notice })).toEqual([]);
    expect(queue("enqueue", { content: "/home/me/log is full" })).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    [
      "a notice in the user's place",
      { type: "user", message: { role: "user", content: "<task-notification>\n<task-id>b</task-id>" } },
    ],
    ["a hint of the program's own", { type: "user", isMeta: true, message: { content: "Caveat: …" } }],
    [
      "a compaction's summary",
      { type: "user", isCompactSummary: true, message: { content: "It was about…" } },
    ],
    ["another kind of progress", { type: "progress", data: { type: "hook_progress", message: {} } }],
    ["another system entry", { type: "system", subtype: "turn_duration", message: "compact_boundary" }],
    ["an unknown type", { type: "from-the-future", message: { content: [] } }],
    ["a message that is no object", { type: "assistant", message: "hello" }],
    ["a list", ["message"]],
    ["nothing", null],
  ])("with %s gives no events", (_, entry) => {
    expect(eventsOf(entry)).toEqual([]);
  });

  it("with a message without usage gives a response of unknown size", () => {
    const message = { id: "m", model: "x", content: null };
    expect(eventsOf({ type: "assistant", message })).toEqual([{ type: "response", id: "m", model: "x" }]);
  });

  it.each(['{"type":"assistant","message":{"id":', '"message"', "", "\u0000message"])(
    "that is broken (%j) gives no events",
    (line) => {
      expect(lineEvents(line)).toEqual([]);
    },
  );

  it("tells when a subagent was started, and when it ended", () => {
    const toolUseResult = {
      status: "async_launched",
      agentId: "a1",
      description: "Look around",
      prompt: "look",
    };
    const launched = createToolResult({ content: "Async agent launched" }, { toolUseResult });
    expect(eventsOf(launched)).toContainEqual(subagent("running"));
    const done = createToolResult(
      { content: "Found." },
      { toolUseResult: { ...toolUseResult, status: "completed" } },
    );
    expect(eventsOf(done)).toContainEqual(subagent("completed"));
    expect(eventsOf(createNotice("failed", 'Agent "Look around" failed: no API'))).toEqual([
      subagent("failed"),
    ]);
    expect(eventsOf(createNotice("killed", 'Agent "Look around" was stopped'))).toEqual([
      subagent("stopped"),
    ]);
    expect(eventsOf({ ...createNotice("failed", 'Agent "Look around" failed'), timestamp: "T1" })).toEqual([
      { ...subagent("failed"), at: "T1" },
    ]);
    expect(eventsOf(createNotice("completed", 'Background command "npm test" completed'))).toEqual([]);
  });
});

function subagent(state: string) {
  return { type: "subagent", id: "a1", task: "Look around", state };
}

function createNotice(status: string, summary: string) {
  const content = `<task-notification>\n<task-id>a1</task-id>\n<status>${status}</status>\n<summary>${summary}</summary>`;
  return { type: "user", message: { role: "user", content } };
}
