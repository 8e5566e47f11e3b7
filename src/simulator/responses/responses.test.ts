import { describe, expect, it } from "vitest";
import type { Fault, Scenario } from "../scenario.ts";
import { type Simulator, startSimulator } from "../server.ts";

const TOOLS = [
  { type: "function", name: "exec_command" },
  { type: "custom", name: "apply_patch" },
  { type: "function", name: "submit_handoff" },
  { type: "web_search" },
];

function scenario(parts: Partial<Scenario>): Scenario {
  return { name: "test", summary: "a test", ...parts };
}

function user(text: string) {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function post(simulator: Simulator, input: object[], more: object = {}, headers = {}) {
  return fetch(`${simulator.url}/v1/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5.5", tools: TOOLS, input, ...more }),
    headers: { authorization: "Bearer key", ...headers },
  });
}

async function output(simulator: Simulator, ...input: object[]) {
  const { output } = (await (await post(simulator, input)).json()) as { output: object[] };
  return output;
}

describe("Responses", () => {
  it("streams what the script says and calls, with its tokens at the end", async () => {
    const call = { tool: "Bash", input: { command: "ls" } };
    await using simulator = await startSimulator(
      scenario({ steps: [{ think: "Hm.", say: "Hello there.", call }] }),
    );
    const text = await (await post(simulator, [user("hi")], { stream: true })).text();
    const events = text
      .trim()
      .split("\n\n")
      .map((event) => JSON.parse(event.split("data: ")[1] ?? ""));
    expect(events[0]).toMatchObject({ type: "response.created", response: { output: [] } });
    expect(events.map(({ delta = "" }) => delta).join("")).toBe("Hello there.");
    const items = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    expect(items).toMatchObject([
      { type: "reasoning" },
      { type: "message", content: [{ type: "output_text", text: "Hello there." }] },
      { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}' },
    ]);
    const sent = simulator.requests[0]?.request.sentTokens ?? 0;
    const usage = simulator.requests[0]?.usage;
    expect(usage).toMatchObject({ input_tokens: sent, cache_creation_input_tokens: 0 });
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        usage: { input_tokens: sent, input_tokens_details: { cached_tokens: 0 }, output_tokens: 15 },
      },
    });
  });

  it("gives the script the same request as over Messages, and counts a known prompt as cached", async () => {
    await using simulator = await startSimulator(scenario({ steps: [{ say: "One." }, { say: "Two." }] }));
    const context = user("<environment_context>here</environment_context>");
    const developer = {
      type: "message",
      role: "developer",
      content: [{ type: "input_text", text: "Rules." }],
    };
    await output(simulator, developer, context, user("Look."));
    const call = { type: "function_call", call_id: "call_1", name: "exec_command", arguments: "{}" };
    const result = {
      type: "function_call_output",
      call_id: "call_1",
      output: "Process exited with code 3\nno",
    };
    await output(simulator, developer, context, user("Look."), call, result, user("And now?"));
    const { request, usage } = simulator.requests[1] ?? {};
    expect(request).toMatchObject({
      kind: "main",
      turns: 1,
      last: "Process exited with code 3\nno\nAnd now?",
      results: [{ toolUseId: "call_1", isError: true }],
    });
    expect(request?.tools).toEqual(expect.arrayContaining(["Bash", "Write", "mcp__baton__submit_handoff"]));
    expect(usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  it("turns files of a script into patches, and tools of Baton into their plain names", async () => {
    const write = { tool: "Write", input: { file_path: "a.txt", content: "one\ntwo" } };
    const edit = { tool: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "three" } };
    const own = { tool: "mcp__baton__submit_handoff", input: { goal: "all" } };
    await using simulator = await startSimulator(scenario({ steps: [{ call: [write, edit, own] }] }));
    expect(await output(simulator, user("hi"))).toMatchObject([
      {
        type: "custom_tool_call",
        name: "apply_patch",
        input: "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n",
      },
      { input: "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch\n" },
      { type: "function_call", name: "submit_handoff", arguments: '{"goal":"all"}' },
    ]);
  });
});

describe("what Responses refuses", () => {
  it.each<[Fault, number, object, string]>([
    [{ kind: "rate-limit" }, 429, { code: "rate_limit_exceeded" }, "retry-after: 1"],
    [
      { kind: "usage-limit", resetsAt: 4_000_000_000 },
      429,
      { type: "usage_limit_reached", resets_at: 4_000_000_000 },
      "x-codex-primary-reset-at: 4000000000",
    ],
    [{ kind: "no-credit" }, 429, { code: "insufficient_quota" }, ""],
    [{ kind: "unauthorized" }, 401, { code: "invalid_api_key" }, ""],
    [{ kind: "server-error" }, 500, { type: "server_error" }, ""],
    [{ kind: "overloaded" }, 503, { code: "server_is_overloaded" }, ""],
  ])("words a fault as the service does: %o", async (fault, status, error, header) => {
    await using simulator = await startSimulator(scenario({ steps: [{ fault }] }));
    const response = await post(simulator, [user("hi")]);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
    expect([...response.headers].map((pair) => pair.join(": ")).join("\n")).toContain(header);
  });

  it("a prompt longer than the window, without credentials, and a call without its output or the other way round", async () => {
    await using simulator = await startSimulator(scenario({ window: 500 }));
    const refusal = async (input: object[], headers = {}) => {
      const response = await post(simulator, input, {}, headers);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      return [response.status, error.code ?? error.message];
    };
    expect(await refusal([user("x".repeat(4_000))])).toEqual([400, "context_length_exceeded"]);
    expect(await refusal([user("hi")], { authorization: "" })).toEqual([401, "invalid_api_key"]);
    const call = { type: "function_call", call_id: "call_1", name: "exec_command", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "call_1", output: "" };
    expect(await refusal([call])).toEqual([400, "No tool output found for function call call_1."]);
    expect(await refusal([result])).toEqual([
      400,
      "No tool call found for function call output with call_id call_1.",
    ]);
  });
});
