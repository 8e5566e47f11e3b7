import type { TodoFact } from "../handoff/facts.ts";
import { oneLine, type Paint } from "./style.ts";

const isDone = ({ status }: TodoFact) => status === "completed";
const isAtWork = ({ status }: TodoFact) => status === "in_progress";

/** `2 of 5`. Empty where there is nothing to do. */
export function todoCount(todos: readonly TodoFact[] = []): string {
  return todos.length === 0 ? "" : `${todos.filter(isDone).length} of ${todos.length}`;
}

/** In a line: `2 of 5, now Write the tests`. Empty where there is nothing to do. */
export function todoSummary(todos: readonly TodoFact[] = []): string {
  if (todos.length === 0) return "";
  const now = todos.find(isAtWork) ?? todos.find((todo) => !isDone(todo));
  return `${todoCount(todos)}${now ? `, ${isAtWork(now) ? "now" : "next"} ${oneLine(now.text)}` : ""}`;
}

/** One a line. */
export function todoLines(todos: readonly TodoFact[], paint: Paint): string[] {
  return todos.map((todo) => {
    const text = oneLine(todo.text);
    if (isDone(todo)) return paint("dim", `✓ ${text}`);
    return isAtWork(todo) ? paint("bold", `▸ ${text}`) : `○ ${text}`;
  });
}
