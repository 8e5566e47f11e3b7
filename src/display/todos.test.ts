import { expect, it } from "vitest";
import { todoLines, todoSummary } from "./todos.ts";

const todo = (text: string, status: string) => ({ id: text, text, status });

it.each([
  [[], ""],
  [[todo("a", "pending")], "0 of 1, next a"],
  [[todo("a", "completed"), todo("b", "pending"), todo("c\u001b[2J", "in_progress")], "1 of 3, now c"],
  [[todo("a", "completed")], "1 of 1"],
])("sums up %j", (todos, said) => {
  expect(todoSummary(todos)).toBe(said);
});

it("lists what is done, at work and to do", () => {
  const todos = [todo("a", "completed"), todo("b", "in_progress"), todo("c", "pending")];
  expect(todoLines(todos, (_format, text) => text)).toEqual(["✓ a", "▸ b", "○ c"]);
});
