import { isAbsolute, relative } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import type { Account } from "./account.ts";
import { constraintsIn } from "./constraints.ts";
import type { CommandFact, Facts, FileFact, SubagentFact, TestFact, TodoFact } from "./facts.ts";
import { isTestRun, testPassed } from "./test-runs.ts";

const COMMANDS_KEPT = 60;
const ERROR_KEPT = 4_000;
const OUTPUT_KEPT = 1_500;

type ToolStart = Extract<AgentEvent, { type: "tool:start" }>;
type ToolEnd = Extract<AgentEvent, { type: "tool:end" }>;

/** Folds the events of a job's sessions into facts. What an event costs does not depend on how many came before. */
export class FactCollector {
  readonly #cwd: string;
  readonly #request: string;
  readonly #files = new Map<string, FileFact>();
  /** By command, the newest run last. */
  readonly #commands = new Map<string, CommandFact>();
  readonly #todos = new Map<string, TodoFact>();
  readonly #subagents = new Map<string, SubagentFact>();
  readonly #constraints = new Set<string>();
  readonly #running = new Map<string, ToolStart>();
  #messages: string[];
  #done: string[];
  #lastTest: TestFact | null;
  #lastError: string | null;
  #lastText: string | null;

  /** `earlier`: what the sessions before this one knew. */
  constructor(cwd: string, earlier: Facts) {
    this.#cwd = cwd;
    this.#request = earlier.request;
    this.#messages = [...earlier.messages];
    this.#done = [...earlier.done];
    for (const constraint of [...constraintsIn(earlier.request), ...earlier.constraints])
      this.#constraints.add(constraint);
    for (const file of earlier.files) this.#files.set(file.path, { ...file });
    for (const run of earlier.commands) this.#commands.set(run.command, { ...run });
    for (const todo of earlier.todos) this.#todos.set(todo.id, todo);
    for (const subagent of earlier.subagents) this.#subagents.set(subagent.id, subagent);
    this.#lastTest = earlier.lastTest;
    this.#lastError = earlier.lastError;
    this.#lastText = earlier.lastText;
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case "user":
        this.#messages.push(event.text);
        for (const constraint of constraintsIn(event.text)) this.#constraints.add(constraint);
        return;
      case "text":
        if (event.subagent === undefined) this.#lastText = event.text;
        return;
      case "tool:start":
        this.#started(event);
        return;
      case "tool:end": {
        const start = this.#running.get(event.id);
        this.#running.delete(event.id);
        if (start) this.#ended(start, event);
        if (!event.ok && event.output && event.subagent === undefined)
          this.#lastError = cut(event.output, ERROR_KEPT);
        return;
      }
      case "tool:denied":
        this.#running.delete(event.id);
        return;
      case "subagent":
        this.#subagents.set(event.id, { id: event.id, task: event.task, state: event.state });
        return;
      default:
    }
  }

  /** Takes over what an account lists as done. What it takes back does not stay done. */
  addProgress({ done, inProgress, pending }: Account["progress"]): void {
    const open = [...inProgress, ...pending];
    const still = this.#done.filter((item) => !open.some((other) => other.startsWith(item)));
    this.#done = [...new Set([...still, ...done])];
  }

  facts(): Facts {
    return {
      request: this.#request,
      messages: [...this.#messages],
      constraints: [...this.#constraints],
      done: this.#done,
      files: [...this.#files.values()],
      commands: [...this.#commands.values()],
      lastTest: this.#lastTest,
      lastError: this.#lastError,
      lastText: this.#lastText,
      todos: [...this.#todos.values()],
      subagents: [...this.#subagents.values()],
    };
  }

  #started(event: ToolStart): void {
    this.#running.set(event.id, event);
    const command = field(event.input, "command");
    if (command !== undefined && event.name === "Bash") this.#ran(command, null);
    if (event.name === "TodoWrite") this.#todosWritten(event.input);
  }

  #ended(start: ToolStart, { ok, output }: ToolEnd): void {
    const command = field(start.input, "command");
    if (command !== undefined && start.name === "Bash") {
      this.#ran(command, ok);
      if (isTestRun(command)) {
        this.#lastTest = { command, ok: ok && testPassed(output), output: cut(output, OUTPUT_KEPT) };
      }
    }
    if (ok) this.#touched(start, output);
    if (ok && start.name === "TaskCreate") this.#todoCreated(start.input, output);
    if (ok && start.name === "TaskUpdate") this.#todoUpdated(start.input);
  }

  #ran(command: string, ok: boolean | null): void {
    const known = this.#commands.get(command);
    this.#commands.delete(command);
    this.#commands.set(command, { command, ok, runs: (known?.runs ?? 0) + (ok === null ? 1 : 0) });
    if (this.#commands.size <= COMMANDS_KEPT) return;
    const [oldest] = this.#commands.keys();
    if (oldest !== undefined) this.#commands.delete(oldest);
  }

  #touched({ name, input }: ToolStart, output: string): void {
    const path = field(input, "file_path") ?? field(input, "notebook_path");
    if (path === undefined) return;
    const shown = this.#shown(path);
    const known = this.#files.get(shown) ?? { path: shown, change: null, read: false };
    switch (name) {
      case "Read":
        this.#files.set(shown, { ...known, read: true });
        return;
      case "Write":
        this.#files.set(shown, {
          ...known,
          change: known.change ?? (/created/i.test(output) ? "created" : "edited"),
        });
        return;
      case "Edit":
      case "MultiEdit":
      case "NotebookEdit":
        this.#files.set(shown, { ...known, change: known.change ?? "edited" });
        return;
      default:
    }
  }

  #shown(path: string): string {
    const inside = isAbsolute(path) ? relative(this.#cwd, path) : path;
    return inside.startsWith("..") || inside === "" ? path : inside;
  }

  #todosWritten(input: unknown): void {
    const todos = list(input, "todos");
    this.#todos.clear();
    for (const [index, todo] of todos.entries()) {
      const text = field(todo, "content");
      const id = String(index + 1);
      if (text) this.#todos.set(id, { id, text, status: field(todo, "status") ?? "pending" });
    }
  }

  #todoCreated(input: unknown, output: string): void {
    const id = /#(\w+)/.exec(output)?.[1] ?? String(this.#todos.size + 1);
    const text = field(input, "subject") ?? field(input, "description");
    if (text) this.#todos.set(id, { id, text, status: "pending" });
  }

  #todoUpdated(input: unknown): void {
    const id = field(input, "taskId");
    const known = id === undefined ? undefined : this.#todos.get(id);
    if (!known) return;
    const status = field(input, "status") ?? known.status;
    if (status === "deleted") this.#todos.delete(known.id);
    else this.#todos.set(known.id, { ...known, text: field(input, "subject") ?? known.text, status });
  }
}

function field(input: unknown, key: string): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const value: unknown = Reflect.get(input, key);
  return typeof value === "string" ? value : undefined;
}

function list(input: unknown, key: string): unknown[] {
  if (typeof input !== "object" || input === null) return [];
  const value: unknown = Reflect.get(input, key);
  return Array.isArray(value) ? value : [];
}

/** The end of a text says how it went. */
function cut(text: string, longest: number): string {
  return text.length > longest ? `…${text.slice(-longest)}` : text;
}
