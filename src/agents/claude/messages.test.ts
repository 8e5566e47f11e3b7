import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../events.ts";
import { Denials } from "./denials.ts";
import { ClaudeMessages } from "./messages.ts";

function heard(messages: unknown[], resumed = false): AgentEvent[] {
  const reader = new ClaudeMessages({ resumed, denials: new Denials() });
  return messages
    .flatMap((message) => [...reader.events(message as SDKMessage)])
    .filter(({ type }) => type !== "activity");
}

const usage = {
  input_tokens: 3,
  output_tokens: 1,
  cache_read_input_tokens: 20_000,
  cache_creation_input_tokens: 500,
};

function createBlock(id: string, content: object, parent: string | null = null) {
  const message = { id, model: "claude-sonnet-4-5", usage, content: [content] };
  return { type: "assistant", parent_tool_use_id: parent, ...(parent && { agent_id: "agent-1" }), message };
}

function createDelta(output: number) {
  const event = { type: "message_delta", usage: { output_tokens: output } };
  return { type: "stream_event", parent_tool_use_id: null, event };
}

function createResult(cost: number, cacheRead: number) {
  const tokens = {
    inputTokens: 0,
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: 0,
    contextWindow: 200_000,
  };
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    terminal_reason: "completed",
    result: "ok",
    total_cost_usd: cost,
    modelUsage: { "claude-sonnet-4-5": tokens },
    permission_denials: [],
  };
}

function createText(text: string, parent: string | null = null) {
  const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  return { type: "stream_event", parent_tool_use_id: parent, event };
}

const responses = (events: AgentEvent[]) => events.filter((event) => event.type === "response");

describe("Claude Code's messages", () => {
  it("tell the pieces of a text as they come, of the main thread alone", () => {
    const events = heard([
      createText("I "),
      createText("too", "tool-1"),
      createText("look."),
      createBlock("msg-1", { type: "text", text: "I look." }),
    ]);
    expect(events).toEqual([
      { type: "text:delta", text: "I " },
      { type: "text:delta", text: "look." },
      { type: "text", text: "I look." },
    ]);
  });

  it("tell one response once, however many blocks it has, with its output counted in full", () => {
    const events = heard([
      createBlock("msg-1", { type: "text", text: "I look." }),
      createBlock("msg-1", { type: "tool_use", id: "tool-1", name: "Bash", input: { command: "ls" } }),
      createDelta(50),
    ]);
    expect(responses(events)).toEqual([
      {
        type: "response",
        id: "msg-1",
        model: "claude-sonnet-4-5",
        usage: { input: 3, output: 50, cacheRead: 20_000, cacheWrite: 500 },
        costUsd: expect.closeTo((3 * 3 + 50 * 15 + 20_000 * 0.3 + 500 * 3.75) / 1_000_000, 9),
      },
    ]);
  });

  it("count a main response in full also when a subagent speaks in between", () => {
    const events = heard([
      createBlock("msg-1", { type: "text", text: "main" }),
      createBlock("sub-1", { type: "text", text: "sub" }, "tool-9"),
      createDelta(70),
      createBlock("sub-1", { type: "tool_use", id: "t", name: "Read", input: {} }, "tool-9"),
    ]);
    expect(responses(events)).toMatchObject([
      { id: "sub-1", subagent: "agent-1" },
      { id: "msg-1", usage: { output: 70 } },
    ]);
    expect(responses(events)[1]).not.toHaveProperty("subagent");
  });

  it("tell a response that was not streamed when the next one or the end comes", () => {
    const events = heard([
      createBlock("msg-1", { type: "text", text: "one" }),
      createBlock("msg-2", { type: "text", text: "two" }),
      createResult(0.1, 40_000),
    ]);
    expect(responses(events)).toMatchObject([{ id: "msg-1" }, { id: "msg-2" }]);
  });

  it("price what is written to the cache for an hour as such", () => {
    const block = createBlock("msg-1", { type: "text", text: "one" });
    const cache_creation = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 };
    const message = { ...block.message, usage: { ...usage, cache_creation } };
    const [response] = responses(heard([{ ...block, message }, createDelta(10)]));
    expect(response).toMatchObject({ usage: { cacheWrite: 500, cacheWriteHour: 400 } });
    const tokens = 3 * 3 + 10 * 15 + 20_000 * 0.3 + 100 * 3.75 + 400 * 6;
    expect(response).toMatchObject({ costUsd: expect.closeTo(tokens / 1_000_000, 9) });
  });

  it("price a subagent's response once, and none of a model that has no price or of unknown size", () => {
    const sub = createBlock("sub-1", { type: "text", text: "sub" }, "tool-9");
    expect(responses(heard([sub, sub]))).toMatchObject([
      { subagent: "agent-1", costUsd: expect.any(Number) },
    ]);
    const other = createBlock("msg-1", { type: "text", text: "one" });
    const unknown = { ...other, message: { ...other.message, model: "claude-next-9" } };
    const unsized = { ...other, message: { ...other.message, id: "msg-2", usage: undefined } };
    const told = responses(heard([unknown, createDelta(5), unsized, createResult(0, 0)]));
    expect(told.map(({ id }) => id)).toEqual(["msg-1", "msg-2"]);
    for (const response of told) expect(response).not.toHaveProperty("costUsd");
  });

  it("keep synthetic messages out of the figures", () => {
    const synthetic = createBlock("x", { type: "text", text: "API Error" });
    synthetic.message.model = "<synthetic>";
    expect(responses(heard([synthetic]))).toEqual([]);
  });

  it("tell each denied call once", () => {
    const denied = {
      type: "system",
      subtype: "permission_denied",
      tool_use_id: "t1",
      tool_name: "Bash",
      message: "no",
    };
    const result = {
      ...createResult(0, 0),
      permission_denials: [
        { tool_use_id: "t1", tool_name: "Bash" },
        { tool_use_id: "t2", tool_name: "Edit" },
      ],
    };
    const names = heard([denied, result]).flatMap((event) =>
      event.type === "tool:denied" ? [event.name] : [],
    );
    expect(names).toEqual(["Bash", "Edit"]);
  });

  it("count the cost of this run only, when a resumed session goes on from what was paid before", () => {
    const block = createBlock("msg-1", { type: "text", text: "again" });
    const [end] = heard([block, createDelta(10), createResult(0.4, 4 * 20_503)], true).slice(-1);
    expect(end).toMatchObject({ type: "turn:end" });
    expect(end?.type === "turn:end" && end.costUsd).toBeCloseTo(0.1);
  });

  it("name the windows that the program knows", () => {
    const [end] = heard([createResult(0, 0)]);
    expect(end).toMatchObject({ type: "turn:end", windows: { "claude-sonnet-4-5": 200_000 } });
  });

  it("say how a command in the background was started, once the program tells which call it was", () => {
    const reader = new ClaudeMessages({ resumed: false, denials: new Denials() });
    const hear = (message: unknown) => [...reader.events(message as SDKMessage)];
    reader.commandCalled("tool-1", { command: "npm run dev", cwd: "/home/you/web" });
    const task = { id: "a", kind: "local_bash", description: "dev server" };
    const tasks = [{ task_id: "a", task_type: "local_bash", description: "dev server" }];
    const changed = { type: "system", subtype: "background_tasks_changed", tasks };
    const started = { type: "system", subtype: "task_started", task_id: "a", tool_use_id: "tool-1" };
    expect(hear(changed)).toEqual([{ type: "background", tasks: [task] }]);
    const known = { type: "background", tasks: [{ ...task, command: "npm run dev", cwd: "/home/you/web" }] };
    expect(hear(started)).toEqual([known]);
    expect(hear(changed)).toEqual([known]);
  });

  it("say what runs in the background, without what the program runs for itself", () => {
    const tasks = [
      { task_id: "a", task_type: "local_bash", description: "dev server" },
      { task_id: "b", task_type: "monitor", description: "own", ambient: true },
    ];
    expect(heard([{ type: "system", subtype: "background_tasks_changed", tasks }])).toEqual([
      { type: "background", tasks: [{ id: "a", kind: "local_bash", description: "dev server" }] },
    ]);
  });
});
