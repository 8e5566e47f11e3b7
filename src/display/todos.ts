import { isAtWork, isDone, type Todo } from "../agents/todos.ts";
import { oneLine, type Paint } from "./style.ts";

export { todoCount, todoSummary } from "../agents/todos.ts";

/** One a line. */
export function todoLines(todos: readonly Todo[], paint: Paint): string[] {
  return todos.map((todo) => {
    const text = oneLine(todo.text);
    if (isDone(todo)) return paint("dim", `✓ ${text}`);
    return isAtWork(todo) ? paint("bold", `▸ ${text}`) : `○ ${text}`;
  });
}
