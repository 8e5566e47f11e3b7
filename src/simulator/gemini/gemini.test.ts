import { describe, expect, it } from "vitest";
import type { Fault, Scenario } from "../scenario.ts";
import { type Simulator, startSimulator } from "../server.ts";

/** As Gemini CLI offers them, and one of Baton's. */
const TOOLS = [
  {
    functionDeclarations: [
      tool("run_shell_command", "command", "description"),
      tool("write_file", "file_path", "content"),
      tool("replace", "file_path", "instruction", "old_string", "new_string"),
      tool("mcp_baton_submit_handoff", "goal"),
    ],
  },
];

function tool(name: string, ...takes: string[]) {
  const properties = Object.fromEntries(takes.map((key) => [key, { type: "string" }]));
  return { name, parametersJsonSchema: { type: "object", properties } };
}

function scenario(parts: Partial<Scenario>): Scenario {
  return { name: "test", summary: "a test", ...parts };
}

const user = (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
const call = (...names: string[]) => ({
  role: "model",
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
});
const response = (...given: object[]) => ({
  role: "user",
  parts: given.map((response) => ({ functionResponse: { name: "run_shell_command", response } })),
});

const KEY = { "x-goog-api-key": "key" };

function post(
  simulator: Simulator,
  contents: object[],
  method = "generateContent",
  headers: Record<string, string> = KEY,
) {
  return fetch(`${simulator.url}/v1beta/models/gemini-2.5-pro:${method}`, {
    method: "POST",
    body: JSON.stringify({ contents, tools: TOOLS, systemInstruction: { parts: [{ text: "Rules." }] } }),
    headers,
  });
}

interface Generated {
  candidates: [{ content: { parts: Record<string, unknown>[] }; finishReason?: string }];
  usageMetadata?: Record<string, number>;
}

async function parts(simulator: Simulator, ...contents: object[]) {
  const { candidates } = (await (await post(simulator, contents)).json()) as Generated;
  return candidates[0].content.parts;
}

describe("generateContent", () => {
  it("streams what the script says and calls, as events or as a list, with its tokens at the end", async () => {
    const input = { command: "ls", description: "look" };
    const otherwise = { think: "Hm.", say: "Hello there.", call: { tool: "Bash", input } };
    await using simulator = await startSimulator(scenario({ otherwise }));
    const text = await (await post(simulator, [user("hi")], "streamGenerateContent?alt=sse")).text();
    const events = text.trim().split("\r\n\r\n");
    const chunks: Generated[] = events.map((event) => JSON.parse(event.slice("data: ".length)));
    const streamed = chunks.flatMap(({ candidates: [{ content }] }) => content.parts);
    const joined = (thought?: true) =>
      streamed.map((part) => (part.thought === thought ? (part.text ?? "") : "")).join("");
    expect(joined(true)).toBe("Hm.");
    expect(joined()).toBe("Hello there.");
    expect(streamed.flatMap(({ functionCall = [] }) => functionCall)).toMatchObject([
      { name: "run_shell_command", args: input },
    ]);
    const { request, usage } = simulator.requests[0] ?? {};
    const sent = request?.sentTokens ?? 0;
    const output = usage?.output_tokens ?? 0;
    expect(usage).toMatchObject({ input_tokens: sent, cache_creation_input_tokens: 0 });
    expect(chunks.map(({ candidates: [{ finishReason }] }) => finishReason ?? "")).toEqual([
      ...chunks.slice(1).map(() => ""),
      "STOP",
    ]);
    expect(chunks.at(-1)?.usageMetadata).toEqual({
      promptTokenCount: sent,
      candidatesTokenCount: output,
      totalTokenCount: sent + output,
    });
    const list = await (await post(simulator, [user("hi")], "streamGenerateContent")).json();
    expect(list).toHaveLength(chunks.length);
  });

  it("gives the script the same request as over Messages, and counts a known prompt as cached", async () => {
    await using simulator = await startSimulator(scenario({ steps: [{ say: "One." }, { say: "Two." }] }));
    const begun = [user("<session_context>here</session_context>"), user("Look.")];
    await post(simulator, begun);
    const called = call("run_shell_command", "run_shell_command");
    const results = response({ output: "no\nExit Code: 3" }, { output: "yes" });
    const answered = await post(simulator, [...begun, called, results, user("And now?")]);
    const { request, usage } = simulator.requests[1] ?? {};
    expect(request).toMatchObject({
      kind: "main",
      model: "gemini-2.5-pro",
      system: "Rules.",
      turns: 1,
      last: "no\nExit Code: 3\nyes\nAnd now?",
      results: [{ isError: true }, { isError: false }],
    });
    expect(request?.messages[0]?.role).toBe("system");
    expect(request?.tools).toEqual(
      expect.arrayContaining(["Bash", "Write", "Edit", "mcp__baton__submit_handoff"]),
    );
    expect(usage?.cache_read_input_tokens).toBeGreaterThan(0);
    expect(((await answered.json()) as Generated).usageMetadata).toMatchObject({
      promptTokenCount: request?.sentTokens,
      cachedContentTokenCount: usage?.cache_read_input_tokens,
    });
  });

  it("calls tools by the names that the program gives them and what they take", async () => {
    const write = { tool: "Write", input: { file_path: "a.txt", content: "one" } };
    const edit = { tool: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } };
    const own = { tool: "mcp__baton__submit_handoff", input: { goal: "all" } };
    await using simulator = await startSimulator(scenario({ steps: [{ call: [write, edit, own] }] }));
    const called = await parts(simulator, user("hi"));
    expect(called.map(({ functionCall }) => functionCall)).toMatchObject([
      { name: "write_file", args: write.input },
      { name: "replace", args: { ...edit.input, instruction: expect.any(String) } },
      { name: "mcp_baton_submit_handoff", args: { goal: "all" } },
    ]);
    expect(called.map((part) => "thoughtSignature" in part)).toEqual([true, false, false]);
  });

  it("counts tokens without an answer", async () => {
    await using simulator = await startSimulator(scenario({ otherwise: { say: "Hello." } }));
    const counted = await (await post(simulator, [user("hi")], "countTokens")).json();
    expect(simulator.requests).toEqual([]);
    await post(simulator, [user("hi")]);
    expect(counted).toEqual({ totalTokens: simulator.requests[0]?.request.sentTokens });
  });
});

describe("what Gemini refuses", () => {
  it.each<[Fault, number, string, object[] | undefined]>([
    [{ kind: "rate-limit", retryAfterSeconds: 7 }, 429, "RESOURCE_EXHAUSTED", [{}, { retryDelay: "7s" }]],
    [
      { kind: "usage-limit", resetsAt: 4_000_000_000 },
      429,
      "RESOURCE_EXHAUSTED",
      [{ violations: [{ quotaId: expect.stringContaining("PerDay") }] }, {}],
    ],
    [{ kind: "no-credit" }, 429, "RESOURCE_EXHAUSTED", [{}]],
    [{ kind: "unauthorized" }, 401, "UNAUTHENTICATED", undefined],
    [{ kind: "server-error" }, 500, "INTERNAL", undefined],
    [{ kind: "overloaded" }, 503, "UNAVAILABLE", undefined],
  ])("words a fault as the service does: %o", async (fault, code, status, details) => {
    await using simulator = await startSimulator(scenario({ steps: [{ fault }] }));
    const refused = await post(simulator, [user("hi")]);
    expect(refused.status).toBe(code);
    expect(await refused.json()).toMatchObject({ error: { code, status, ...(details && { details }) } });
  });

  it("breaks off in the middle, and answers with nothing or without tokens", async () => {
    const faults = (["drop", "empty", "no-usage"] as const).map((kind) => ({ fault: { kind } }));
    await using simulator = await startSimulator(scenario({ steps: faults }));
    const dropped = await post(simulator, [user("hi")], "streamGenerateContent?alt=sse");
    await expect(dropped.text()).rejects.toThrow();
    expect(await parts(simulator, user("hi"))).toEqual([]);
    expect(await (await post(simulator, [user("hi")])).json()).not.toHaveProperty("usageMetadata");
  });

  it("a prompt longer than the window, without credentials, and calls without as many answers or the other way round", async () => {
    await using simulator = await startSimulator(scenario({ window: 500 }));
    const refusal = async (contents: object[], headers?: Record<string, string>) => {
      const refused = await post(simulator, contents, "generateContent", headers);
      const { error } = (await refused.json()) as { error: { status: string; message: string } };
      return `${refused.status} ${error.status}: ${error.message}`;
    };
    expect(await refusal([user("x".repeat(4_000))])).toMatch(
      /^400 INVALID_ARGUMENT: The input token count \(\d+\) exceeds the maximum number of tokens allowed \(500\)/,
    );
    expect(await refusal([user("hi")], {})).toMatch(/^403 PERMISSION_DENIED/);
    const unequal = expect.stringContaining("number of function response parts");
    const two = call("run_shell_command", "run_shell_command");
    expect(await refusal([user("hi"), two])).toEqual(unequal);
    expect(await refusal([user("hi"), two, response({ output: "" })])).toEqual(unequal);
    expect(await refusal([user("hi"), two, user("And?"), response({}, {})])).toEqual(unequal);
    expect(await refusal([user("hi"), response({})])).toContain("function response turn comes immediately");
    expect(await refusal([call("replace"), response({})])).toContain("function call turn comes immediately");
    expect(await refusal([])).toContain("contents is not specified");
    expect(await refusal([{ role: "assistant", parts: [] }])).toContain("Please use a valid role");
  });
});
