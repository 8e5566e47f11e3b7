import { describe, expect, it } from "vitest";
import type { Fault, Scenario } from "../scenario.ts";
import { type Simulator, startSimulator } from "../server.ts";

/** As pi offers them, and one of Baton's. */
const TOOLS = [
  tool("bash", "command", "timeout"),
  tool("write", "path", "content"),
  tool("edit", "path", "edits"),
  tool("submit_handoff", "goal"),
];

/** As opencode does. */
const OTHER_TOOLS = [
  tool("edit", "filePath", "oldString", "newString"),
  tool("baton_submit_handoff", "goal"),
];

function tool(name: string, ...takes: string[]) {
  const properties = Object.fromEntries(takes.map((key) => [key, { type: "string" }]));
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}

function scenario(parts: Partial<Scenario>): Scenario {
  return { name: "test", summary: "a test", ...parts };
}

const user = (content: string) => ({ role: "user", content });
const system = (content: string) => ({ role: "system", content });

function post(simulator: Simulator, messages: object[], more: object = {}, headers = {}) {
  return fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "a-model", tools: TOOLS, messages, ...more }),
    headers: { authorization: "Bearer key", ...headers },
  });
}

interface Called {
  id: string;
  function: { name: string; arguments: string };
}

async function calls(simulator: Simulator, tools: object[]): Promise<[string, unknown][]> {
  const response = await post(simulator, [user("hi")], { tools });
  const { choices } = (await response.json()) as { choices: [{ message: { tool_calls: Called[] } }] };
  return choices[0].message.tool_calls.map(({ function: { name, arguments: given } }) => [
    name,
    JSON.parse(given),
  ]);
}

const ls: Called = { id: "call_1", function: { name: "bash", arguments: '{"command":"ls"}' } };
const called = { role: "assistant", content: null, tool_calls: [{ type: "function", ...ls }] };
const result = (content: string) => ({ role: "tool", tool_call_id: "call_1", content });

describe("Chat Completions", () => {
  it("streams what the script says and calls, with its tokens at the end where they are asked for", async () => {
    const call = { tool: "Bash", input: { command: "ls", description: "look" } };
    const answer = { think: "Hm.", say: "Hello there.", call };
    await using simulator = await startSimulator(scenario({ otherwise: answer }));
    const streamed = async (more: object) => {
      const text = await (await post(simulator, [user("hi")], { stream: true, ...more })).text();
      const lines = text.trim().split("\n\n");
      expect(lines.at(-1)).toBe("data: [DONE]");
      return lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)));
    };
    const chunks = await streamed({ stream_options: { include_usage: true } });
    const deltas = chunks.flatMap(({ choices: [choice] }) => choice?.delta ?? []);
    const joined = (field: string) => deltas.map((delta) => delta[field] ?? "").join("");
    expect(joined("content")).toBe("Hello there.");
    expect(joined("reasoning_content")).toBe("Hm.");
    const parts: Called[] = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
    expect(parts[0]).toMatchObject({ index: 0, type: "function", function: { name: "bash" } });
    expect(parts.map(({ function: { arguments: part } }) => part).join("")).toBe('{"command":"ls"}');
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
    const { request, usage } = simulator.requests[0] ?? {};
    expect(usage).toMatchObject({ input_tokens: request?.sentTokens, cache_creation_input_tokens: 0 });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: request?.sentTokens,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens: usage?.output_tokens,
      },
    });
    expect((await streamed({})).at(-1)).not.toHaveProperty("usage");
  });

  it("gives the script the same request as over Messages, and counts a known prompt as cached", async () => {
    await using simulator = await startSimulator(scenario({ steps: [{ say: "One." }, { say: "Two." }] }));
    const begun = [system("Rules."), user("Look.")];
    await post(simulator, begun);
    const failed = result("no\n\nCommand exited with code 3");
    await post(simulator, [...begun, called, failed, user("And now?")]);
    const { request, usage } = simulator.requests[1] ?? {};
    expect(request).toMatchObject({
      kind: "main",
      turns: 1,
      last: "no\n\nCommand exited with code 3\nAnd now?",
      results: [{ toolUseId: "call_1", isError: true }],
    });
    expect(request?.tools).toEqual(expect.arrayContaining(["Bash", "Write", "mcp__baton__submit_handoff"]));
    expect(usage?.cache_read_input_tokens).toBeGreaterThan(0);
  });

  it("calls tools by the names that the program gives them and what they take", async () => {
    const write = { tool: "Write", input: { file_path: "a.txt", content: "one" } };
    const edit = { tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } };
    const own = { tool: "mcp__baton__submit_handoff", input: { goal: "all" } };
    await using simulator = await startSimulator(
      scenario({ steps: [{ call: [write, edit, own] }, { call: [edit, own] }] }),
    );
    expect(await calls(simulator, TOOLS)).toEqual([
      ["write", { path: "a.txt", content: "one" }],
      ["edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }],
      ["submit_handoff", { goal: "all" }],
    ]);
    expect(await calls(simulator, OTHER_TOOLS)).toEqual([
      ["edit", { filePath: "a.txt", oldString: "one", newString: "two" }],
      ["baton_submit_handoff", { goal: "all" }],
    ]);
  });
});

describe("what Chat Completions refuses", () => {
  it.each<[Fault, number, object]>([
    [{ kind: "rate-limit" }, 429, { code: "rate_limit_exceeded" }],
    [{ kind: "no-credit" }, 429, { code: "insufficient_quota" }],
    [{ kind: "unauthorized" }, 401, { code: "invalid_api_key" }],
    [{ kind: "server-error" }, 500, { type: "server_error" }],
  ])("words a fault as the service does: %o", async (fault, status, error) => {
    await using simulator = await startSimulator(scenario({ steps: [{ fault }] }));
    const response = await post(simulator, [user("hi")]);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  it("a prompt longer than the window, without credentials, and a call without its result or the other way round", async () => {
    await using simulator = await startSimulator(scenario({ window: 500 }));
    const refusal = async (messages: object[], headers = {}) => {
      const response = await post(simulator, messages, {}, headers);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      return [response.status, error.code ?? error.message];
    };
    expect(await refusal([user("x".repeat(4_000))])).toEqual([400, "context_length_exceeded"]);
    expect(await refusal([user("hi")], { authorization: "" })).toEqual([401, "invalid_api_key"]);
    const alone = [400, expect.stringContaining("did not have response messages: call_1")];
    expect(await refusal([called])).toEqual(alone);
    expect(await refusal([called, user("And?"), result("")])).toEqual(alone);
    expect(await refusal([result("")])).toEqual([400, expect.stringContaining("role 'tool'")]);
  });
});
