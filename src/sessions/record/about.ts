import type { AgentEvent } from "../../agents/events.ts";
import { followTodos, NO_TODOS, type TodoList } from "../../agents/todos.ts";
import { firstWords } from "../../util/text.ts";
import { isOwnWords } from "./own-words.ts";

/** What a session is about, as far as its transcript tells. Plain JSON, and small: it is on record with the session. */
export interface About {
  readonly title?: string;
  /** The person chose the title: the program's own does not take its place. */
  readonly named?: true;
  /** What the person said last. */
  readonly prompt?: string;
  readonly todos: TodoList;
}

export const NOTHING_TOLD: About = { todos: NO_TODOS };

const LONGEST_TEXT = 300;
const MOST_TODOS = 200;

/** What is known after an event; the same object if it tells nothing new. `check`: what `baton watch` sends. */
export function told(about: About, event: AgentEvent, check: string | undefined): About {
  switch (event.type) {
    case "title":
      if (about.named && !event.byPerson) return about;
      return { ...about, title: short(event.title), ...(event.byPerson && { named: true }) };
    case "user":
      return isOwnWords(event.text, check) ? about : { ...about, prompt: short(event.text) };
    default: {
      const todos = followTodos(about.todos, event);
      return todos === about.todos ? about : { ...about, todos: small(todos) };
    }
  }
}

function short(text: string): string {
  return firstWords(text.trim(), LONGEST_TEXT);
}

function small({ todos, running }: TodoList): TodoList {
  return {
    todos: todos.slice(0, MOST_TODOS).map((todo) => ({ ...todo, text: short(todo.text) })),
    running: running.slice(-MOST_TODOS),
  };
}
