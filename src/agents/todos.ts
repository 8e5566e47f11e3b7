import { oneLine } from "../util/printable.ts";
import type { AgentEvent, Made, ToolAction } from "./events.ts";

/** Plain JSON. `status` is in the words of the program. */
export interface Todo {
  id: string;
  text: string;
  status: string;
}

type TodoAction = Extract<ToolAction, { kind: "todo" }>;

/** What an agent has listed to do, and the calls of its tool that have not ended yet. Plain JSON. */
export interface TodoList {
  readonly todos: readonly Todo[];
  readonly running: readonly { readonly id: string; readonly does: TodoAction }[];
}

export const NO_TODOS: TodoList = { todos: [], running: [] };

/** The list after an event; the same object if the event says nothing about it, and the same todos if it changes none. */
export function followTodos(list: TodoList, event: AgentEvent): TodoList {
  switch (event.type) {
    case "tool:start":
      return event.does.kind === "todo" ? started(list, event.id, event.does) : list;
    case "tool:end": {
      const call = list.running.find(({ id }) => id === event.id);
      if (!call) return list;
      const rest = withoutCall(list, event.id);
      return event.ok ? { ...rest, todos: changed(list.todos, call.does, event.made) } : rest;
    }
    case "tool:denied":
      return list.running.some(({ id }) => id === event.id) ? withoutCall(list, event.id) : list;
    default:
      return list;
  }
}

/** A whole list counts from the call on: the program shows it at once. */
function started({ todos, running }: TodoList, id: string, does: TodoAction): TodoList {
  return does.change === "list"
    ? { todos: listed(does.todos), running }
    : { todos, running: [...running, { id, does }] };
}

function withoutCall({ todos, running }: TodoList, id: string): TodoList {
  return { todos, running: running.filter((call) => call.id !== id) };
}

function listed(todos: readonly { text: string; status: string }[]): Todo[] {
  return todos.flatMap(({ text, status }, index) => (text ? [{ id: String(index + 1), text, status }] : []));
}

function changed(todos: readonly Todo[], does: TodoAction, made: Made | undefined): readonly Todo[] {
  switch (does.change) {
    case "add": {
      const id = made?.kind === "todo" ? made.id : String(todos.length + 1);
      return does.text
        ? [...todos.filter((todo) => todo.id !== id), { id, text: does.text, status: "pending" }]
        : todos;
    }
    case "update": {
      const { id, text, status } = does;
      const now = (todo: Todo) => ({ id, text: text ?? todo.text, status: status ?? todo.status });
      return todos.map((todo) => (todo.id === id ? now(todo) : todo));
    }
    case "remove":
      return todos.filter(({ id }) => id !== does.id);
    case "list":
      return todos;
  }
}

export const isDone = ({ status }: Todo) => status === "completed";
export const isAtWork = ({ status }: Todo) => status === "in_progress";

/** `2 of 5`. Empty where there is nothing to do. */
export function todoCount(todos: readonly Todo[] = []): string {
  return todos.length === 0 ? "" : `${todos.filter(isDone).length} of ${todos.length}`;
}

/** In a line: `2 of 5, now Write the tests`. Empty where there is nothing to do. */
export function todoSummary(todos: readonly Todo[] = []): string {
  if (todos.length === 0) return "";
  const now = todos.find(isAtWork) ?? todos.find((todo) => !isDone(todo));
  return `${todoCount(todos)}${now ? `, ${isAtWork(now) ? "now" : "next"} ${oneLine(now.text)}` : ""}`;
}
