import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ChatFile } from "./chat-file.ts";

const SESSION = "1cdbeb29-5fc4-4788-be67-a0ef67d3f557";

function chat() {
  const home = mkdtempSync(join(tmpdir(), "baton-chat-file-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const folder = join(home, ".gemini", "tmp", "project", "chats");
  const path = join(folder, "session-2026-11-18T16-15-1cdbeb29.jsonl");
  mkdirSync(folder, { recursive: true });
  return {
    file: new ChatFile({ HOME: home }, SESSION),
    write: (...lines: object[]) => {
      for (const line of lines) appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
    cut: (text: string) => appendFileSync(path, text),
  };
}

const response = (id: string, tokens: object) => ({ id, type: "gemini", content: "Yes.", tokens });
const result = (id: string, response: object) => ({
  id: `result of ${id}`,
  type: "user",
  content: [{ functionResponse: { id, name: "run_shell_command", response } }],
});

it("tells each response once, with its tokens by class, and none that is half written", () => {
  const { file, write, cut } = chat();
  expect(file.responses()).toBeUndefined();
  write(
    { sessionId: SESSION },
    response("a", { input: 8_650, output: 19, cached: 8_197, thoughts: 5, tool: 1 }),
  );
  expect(file.responses()).toEqual([
    { id: "a", usage: { input: 454, output: 24, cacheRead: 8_197, cacheWrite: 0 } },
  ]);
  const next = JSON.stringify(response("b", { input: 10, output: 1 }));
  cut(next.slice(0, 20));
  expect(file.responses()).toEqual([]);
  cut(`${next.slice(20)}\n`);
  write(response("a", { input: 1, output: 1 }), { $set: { messages: [response("c", { input: 1 })] } });
  expect(file.responses()).toMatchObject([{ id: "b" }]);
});

it("knows what the calls of the running turn gave", () => {
  const { file, write } = chat();
  write(result("one", { output: "made" }), result("two", { error: "no such file" }));
  expect(Object.fromEntries(file.outputs())).toEqual({ one: "made", two: "no such file" });
  file.turnBegins();
  write(result("three", { output: "more" }));
  expect(Object.fromEntries(file.outputs())).toEqual({ three: "more" });
});
