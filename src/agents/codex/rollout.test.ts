import { expect, it } from "vitest";
import { Rollout } from "./rollout.ts";

const line = (type: string, payload: object) =>
  JSON.stringify({ timestamp: "2026-11-18T13:27:24.396Z", type, payload });
const item = (of: object) => line("event_msg", { type: "item_completed", item: of });

function eventsOf(...lines: string[]) {
  const rollout = new Rollout();
  return lines.flatMap((each) => [...rollout.events(each)]);
}

const META = line("session_meta", {
  id: "thread",
  cli_version: "0.166.0",
  cwd: "/project",
  dynamic_tools: [{ type: "function", name: "submit_handoff" }],
});

it("reads a transcript as events", () => {
  const usage = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7, total_tokens: 107 };
  const events = eventsOf(
    META,
    line("turn_context", { model: "gpt-5.5" }),
    item({ type: "UserMessage", content: [{ type: "text", text: "Go." }] }),
    item({ type: "AgentMessage", content: [{ type: "Text", text: "I go." }] }),
    line("response_item", {
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: JSON.stringify({ cmd: "npm test" }),
    }),
    line("token_usage_record", { response_id: "resp_1", usage }),
    item({
      type: "CommandExecution",
      id: "c1",
      command: ["/bin/bash", "-lc", "npm test"],
      cwd: "file:///work",
      status: "failed",
      exit_code: 2,
      aggregated_output: "no\n",
    }),
    line("response_item", { type: "function_call_output", call_id: "c1", output: "no" }),
    item({
      type: "FileChange",
      id: "c2",
      status: "completed",
      changes: { "/project/a.txt": { type: "update", unified_diff: "@@ -1 +1 @@\n-one\n+two\n" } },
    }),
    line("response_item", {
      type: "function_call",
      name: "submit_handoff",
      call_id: "c3",
      arguments: "{}",
    }),
  );
  expect(events).toMatchObject([
    { type: "init", sessionId: "thread", model: "gpt-5.5", program: "Codex 0.166.0" },
    { type: "user", text: "Go." },
    { type: "text", text: "I go." },
    { type: "tool:start", id: "c1", does: { kind: "command", command: "npm test" } },
    { type: "response", id: "resp_1", usage: { input: 60, cacheRead: 40, output: 7 }, costUsd: 0.00053 },
    { type: "tool:end", id: "c1", ok: false, output: "Exit code 2\nno" },
    {
      type: "tool:start",
      id: "c2",
      does: { kind: "write", path: "/project/a.txt", changes: [{ removed: "one", added: "two" }] },
    },
    { type: "tool:end", id: "c2", ok: true },
    { type: "tool:start", id: "c3", does: { kind: "own" } },
  ]);
});

it("takes what is broken, or not known, for nothing", () => {
  expect(
    eventsOf(META, "{", line("event_msg", { type: "item_completed", item: 7 }), item({ type: "Strange" })),
  ).toEqual([]);
});
