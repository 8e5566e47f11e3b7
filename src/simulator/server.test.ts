import { describe, expect, it } from "vitest";
import { SimulatorClosedError } from "./log.ts";
import type { Reply, Scenario } from "./scenario.ts";
import { type Simulator, SimulatorPortError, startSimulator } from "./server.ts";

const TOOLS = [{ name: "Bash" }];

function scenario(parts: Partial<Scenario>): Scenario {
  return { name: "test", summary: "a test", ...parts };
}

function post(simulator: Simulator, body: object | string, path = "/v1/messages", headers = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(simulator.url + path, { method: "POST", body: text, headers });
}

function prompt(text: string, more: object = {}): object {
  return { model: "claude-sonnet-4-5", tools: TOOLS, messages: [{ role: "user", content: text }], ...more };
}

async function said(simulator: Simulator, body: object, headers = {}): Promise<string> {
  const response = await post(simulator, body, "/v1/messages", headers);
  const { content } = JSON.parse(await response.text());
  return content[0]?.text;
}

describe("the API", () => {
  it("answers a message with what the scenario says and calls", async () => {
    const call = { tool: "Bash", input: { command: "ls" } };
    await using simulator = await startSimulator(
      scenario({ steps: [{ think: "Hm.", say: "Hello.", call }] }),
    );
    const response = await post(simulator, prompt("hi"));
    expect(await response.json()).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Hello." },
        { type: "tool_use", name: "Bash", input: { command: "ls" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 4 },
    });
  });

  it("streams the same message as events", async () => {
    await using simulator = await startSimulator(scenario({ steps: [{ say: "Hello there." }] }));
    const text = await (await post(simulator, prompt("hi", { stream: true }))).text();
    const events = text
      .trim()
      .split("\n\n")
      .map((event) => JSON.parse(event.split("data: ")[1] ?? ""));
    expect(events.at(0)).toMatchObject({ type: "message_start", message: { content: [] } });
    expect(events.map(({ delta }) => delta?.text ?? "").join("")).toBe("Hello there.");
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } });
    expect(events.at(-1)).toEqual({ type: "message_stop" });
  });

  it("counts tokens as it will bill them", async () => {
    await using simulator = await startSimulator(scenario({ cache: false, factor: 5 }));
    const counted = await (await post(simulator, prompt("hi"), "/v1/messages/count_tokens?beta=true")).json();
    const answered = await (await post(simulator, prompt("hi"))).json();
    expect(answered).toMatchObject({ usage: counted as object });
    expect(simulator.requests).toHaveLength(1);
  });

  it("refuses a prompt that is longer than the window, in the API's words, and uses up no step", async () => {
    await using simulator = await startSimulator(scenario({ window: 500, steps: [{ say: "one" }] }));
    const response = await post(simulator, prompt("x".repeat(4000)));
    const sent = simulator.requests[0]?.request.sentTokens;
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: `prompt is too long: ${sent} tokens > 500 maximum` },
    });
    expect(await said(simulator, prompt("short"))).toBe("one");
  });

  it("answers anything else with a JSON error and stays up", async () => {
    await using simulator = await startSimulator(scenario({}));
    expect((await fetch(simulator.url, { method: "HEAD" })).status).toBe(404);
    const other = await fetch(`${simulator.url}/api/hello`);
    expect(await other.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    const broken = await post(simulator, "{");
    expect(broken.status).toBe(400);
    expect(await said(simulator, prompt("hi"))).toBe("Done.");
  });

  it("says which scenario failed when one of its functions throws", async () => {
    const otherwise = () => {
      throw new Error("boom");
    };
    await using simulator = await startSimulator(scenario({ otherwise }));
    const response = await post(simulator, prompt("hi"));
    expect(await response.text()).toContain('The scenario \\"test\\" failed: Error: boom');
  });

  it("refuses a port that is taken", async () => {
    await using simulator = await startSimulator(scenario({}));
    await expect(startSimulator(scenario({}), { port: simulator.port })).rejects.toThrow(SimulatorPortError);
  });
});

describe("a stream that breaks", () => {
  const body = prompt("hi", { stream: true });

  it("stops in the middle and stays open", async () => {
    const fault = { kind: "stall", at: "middle" } as const;
    await using simulator = await startSimulator(scenario({ steps: [{ say: "Hello there.", fault }] }));
    const response = await post(simulator, body);
    const { value } = (await response.body?.getReader().read()) ?? {};
    const text = new TextDecoder().decode(value);
    expect(text).toContain('"text":"Hello "');
    expect(text).not.toContain("there.");
    expect(simulator.requests[0]?.endedAt).toBeUndefined();
  });

  it("is cut off in the middle", async () => {
    await using simulator = await startSimulator(scenario({ steps: [{ fault: { kind: "drop" } }] }));
    const response = await post(simulator, body);
    await expect(response.text()).rejects.toThrow();
    await simulator.waitFor(({ endedAt }) => endedAt !== undefined);
  });
});

describe("the choice of an answer", () => {
  it("takes the steps in order, then the last resort", async () => {
    const steps = [{ say: "one" }, () => ({ say: "two" })];
    await using simulator = await startSimulator(scenario({ steps, otherwise: { say: "rest" } }));
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1) answers.push(await said(simulator, prompt("go")));
    expect(answers).toEqual(["one", "two", "rest", "rest"]);
  });

  it("asks the rules first, as often as each may answer", async () => {
    const rules = [{ when: () => true, reply: { say: "rule" }, times: 2 }];
    await using simulator = await startSimulator(scenario({ rules, steps: [{ say: "step" }] }));
    const answers = [];
    for (let turn = 0; turn < 3; turn += 1) answers.push(await said(simulator, prompt("go")));
    expect(answers).toEqual(["rule", "rule", "step"]);
  });

  it("spends no step on a side request or a subagent, and lets rules claim them", async () => {
    await using simulator = await startSimulator(
      scenario({
        rules: [{ when: ({ kind, last }) => kind === "subagent" && last === "dig", reply: { say: "dug" } }],
        steps: [{ say: "step" }],
      }),
    );
    const subagent = { "x-claude-code-agent-id": "a1" };
    expect(await said(simulator, prompt("a title", { tools: [] }))).toContain("title");
    expect(await said(simulator, prompt("dig"), subagent)).toBe("dug");
    expect(await said(simulator, prompt("rest"), subagent)).toBe("Done.");
    expect(await said(simulator, prompt("go"))).toBe("step");
  });
});

describe("watching", () => {
  it("shows a request on arrival while its answer is still held back", async () => {
    const held = Promise.withResolvers<Reply>();
    await using simulator = await startSimulator(scenario({ otherwise: () => held.promise }));
    const answer = said(simulator, prompt("go"));
    const record = await simulator.waitFor(({ request }) => request.last === "go");
    expect(record.status).toBeUndefined();
    held.resolve({ say: "now" });
    expect(await answer).toBe("now");
    const ended = await simulator.waitFor(({ endedAt }) => endedAt !== undefined);
    expect(ended).toMatchObject({ status: 200, reply: { say: "now" }, usage: { input_tokens: 4 } });
    expect(ended.endedAt).toBeGreaterThanOrEqual(ended.startedAt);
  });

  it("reports each request once, when it is over", async () => {
    const told: (number | undefined)[] = [];
    const onRequest = ({ status }: { status?: number }) => told.push(status);
    await using simulator = await startSimulator(scenario({ steps: [{ fault: { kind: "overloaded" } }] }), {
      onRequest,
    });
    await post(simulator, prompt("go"));
    await said(simulator, prompt("go"));
    await simulator.waitFor(({ status, endedAt }) => status === 200 && endedAt !== undefined);
    expect(told).toEqual([529, 200]);
  });

  it("breaks off what is being answered and what is waited for when it closes", async () => {
    const simulator = await startSimulator(scenario({ otherwise: { delayMs: 3_600_000 } }));
    const answer = expect(said(simulator, prompt("go"))).rejects.toThrow();
    await simulator.waitFor(() => true);
    const never = expect(simulator.waitFor(() => false)).rejects.toThrow(SimulatorClosedError);
    await simulator.close();
    await Promise.all([answer, never]);
  });
});
