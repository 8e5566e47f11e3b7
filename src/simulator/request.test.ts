import { describe, expect, it } from "vitest";
import { parseBody, readRequest, type SimulatedRequest } from "./request.ts";

const SUMMARY =
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\nAn <analysis> block followed by a <summary> block.";

function read(body: object, headers: Record<string, string> = {}): SimulatedRequest {
  const parsed = parseBody(JSON.stringify({ model: "m", tools: [{ name: "Bash" }], messages: [], ...body }));
  if (!parsed.ok) throw new Error(parsed.message);
  return readRequest(parsed.wire, headers, 10);
}

const user = (content: unknown) => ({ role: "user", content });

describe("the kind of a request", () => {
  it("is main for the agent's own thread", () => {
    expect(read({ messages: [user("go")] }).kind).toBe("main");
  });

  it("is subagent when the request names one", () => {
    expect(read({ messages: [user("go")] }, { "x-claude-code-agent-id": "a1" })).toMatchObject({
      kind: "subagent",
      agentId: "a1",
    });
  });

  it.each([
    ["a request without tools", { tools: [], messages: [user("Write a title")] }],
    ["a probe of the quota", { max_tokens: 1, messages: [user("quota")] }],
    ["a summary for compaction", { messages: [user([{ type: "text", text: SUMMARY }])] }],
  ])("is side for %s", (_, body) => {
    expect(read(body).kind).toBe("side");
  });
});

it("shows what the conversation holds: text, tool results and turns, without what a call only asked for", () => {
  const request = read({
    messages: [
      user("start"),
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "Bash", input: { command: "secret" } },
        ],
      },
      user([
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "out" }], is_error: true },
        { type: "text", text: "and?" },
      ]),
    ],
  });
  expect(request.text).toBe("start\nI look.\nout\nand?");
  expect(request.last).toBe("out\nand?");
  expect(request.results).toEqual([{ toolUseId: "t1", text: "out", isError: true }]);
  expect(request.turns).toBe(1);
});

it("finds the session in the header or in the user id", () => {
  expect(read({}, { "x-claude-code-session-id": "s1" }).sessionId).toBe("s1");
  expect(read({ metadata: { user_id: '{"device_id":"d","session_id":"s2"}' } }).sessionId).toBe("s2");
  expect(read({ metadata: { user_id: "someone" } }).sessionId).toBeUndefined();
});

it("says what is wrong with a body", () => {
  expect(parseBody("{")).toEqual({ ok: false, message: "The request body is not valid JSON" });
  expect(parseBody('{"model":"m"}')).toMatchObject({
    ok: false,
    message: expect.stringContaining("messages"),
  });
});
