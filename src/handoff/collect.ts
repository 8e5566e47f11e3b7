import { isAbsolute, relative } from "node:path";
import type { AgentEvent, Made, ToolAction } from "../agents/agent.ts";
import { followTodos, type TodoList } from "../agents/todos.ts";
import type { Account } from "./account.ts";
import { constraintsIn, isConstraint } from "./constraints.ts";
import type { CommandFact, Facts, FileFact, SubagentFact, TestFact, TodoFact } from "./facts.ts";
import { HANDOFF_LIMITS } from "./limits.ts";
import { isTestRun, testPassed } from "./test-runs.ts";
import { WorkingSetCollector } from "./working/collect.ts";
import { noWorkingSet } from "./working/working-set.ts";

const COMMANDS_KEPT = 60;
const ERROR_KEPT = 4_000;
const OUTPUT_KEPT = 1_500;

type ToolStart = Extract<AgentEvent, { type: "tool:start" }>;
type ToolEnd = Extract<AgentEvent, { type: "tool:end" }>;

/** Folds the events of a job's sessions into facts. What an event costs does not depend on how many came before. */
export class FactCollector {
  readonly #cwd: string;
  readonly #request: string;
  /** The one that was touched last, last. */
  readonly #files = new Map<string, FileFact>();
  /** By command, the newest run last. */
  readonly #commands = new Map<string, CommandFact>();
  #todos: TodoList;
  #todoChanges = 0;
  readonly #subagents = new Map<string, SubagentFact>();
  readonly #constraints = new Set<string>();
  readonly #running = new Map<string, ToolAction>();
  readonly #working: WorkingSetCollector;
  #session: string | undefined;
  /** The next call is the first of its window. */
  #beginsWindow: boolean;
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
    this.#bind(constraintsIn(earlier.request));
    // An earlier version took more for one.
    this.#bind(earlier.constraints.filter(isConstraint));
    for (const file of earlier.files) this.#files.set(file.path, { ...file });
    for (const run of earlier.commands) this.#commands.set(run.command, { ...run });
    this.#todos = { todos: earlier.todos, running: [] };
    for (const subagent of earlier.subagents) this.#subagents.set(subagent.id, subagent);
    this.#lastTest = earlier.lastTest;
    this.#lastError = earlier.lastError;
    this.#lastText = earlier.lastText;
    this.#working = new WorkingSetCollector(cwd, earlier.working ?? noWorkingSet());
    this.#beginsWindow = earlier.working !== undefined;
  }

  /** `heardAt`: the time, for what is heard while it happens. */
  add(event: AgentEvent, heardAt?: string): void {
    const { todos } = this.#todos;
    this.#todos = followTodos(this.#todos, event);
    if (this.#todos.todos !== todos) this.#todoChanges += 1;
    switch (event.type) {
      case "user":
        this.#messages.push(event.text);
        this.#bind(constraintsIn(event.text));
        this.#working.said(event.text);
        return;
      case "init":
        this.#beginsWindow ||= this.#session !== undefined && event.sessionId !== this.#session;
        this.#session = event.sessionId;
        return;
      case "compaction:end":
        this.#beginsWindow ||= event.ok;
        return;
      case "text":
        if (event.subagent !== undefined) return;
        this.#lastText = event.text;
        this.#working.said(event.text);
        return;
      case "tool:start":
        this.#started(event);
        return;
      case "tool:end": {
        const does = this.#running.get(event.id);
        this.#running.delete(event.id);
        if (does) this.#ended(does, event);
        if (does) this.#inHand(does, event);
        if (!event.ok && !event.interrupted && event.output && event.subagent === undefined)
          this.#lastError = cut(event.output, ERROR_KEPT);
        return;
      }
      case "tool:denied":
        this.#running.delete(event.id);
        return;
      case "subagent":
        this.#subagent(event, heardAt);
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

  get todos(): TodoFact[] {
    return [...this.#todos.todos];
  }

  /** Grows whenever the todos change. */
  get todoChanges(): number {
    return this.#todoChanges;
  }

  /** The program that ran them has ended, and took its subagents with it. */
  endSubagents(): void {
    for (const [id, subagent] of this.#subagents) {
      if (subagent.state === "running") this.#subagents.set(id, { ...subagent, state: "stopped" });
    }
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
      todos: this.todos,
      subagents: [...this.#subagents.values()],
      working: this.#working.workingSet(),
    };
  }

  #subagent({ id, task, state, at }: Extract<AgentEvent, { type: "subagent" }>, heardAt?: string): void {
    const began = state === "running" ? (at ?? heardAt) : undefined;
    const startedAt = this.#subagents.get(id)?.startedAt ?? began;
    this.#subagents.set(id, { id, task, state, ...(startedAt !== undefined && { startedAt }) });
  }

  /** Each is looked for in every account, so that a pasted book must not count whole. */
  #bind(constraints: readonly string[]): void {
    for (const constraint of constraints) {
      if (this.#constraints.size >= HANDOFF_LIMITS.constraints) return;
      this.#constraints.add(constraint);
    }
  }

  #started({ id, does, about, subagent }: ToolStart): void {
    this.#running.set(id, does);
    if (subagent === undefined) this.#called(does, about);
    if (does.kind === "command") this.#ran(does.command, null);
  }

  #ended(does: ToolAction, { ok, output, made }: ToolEnd): void {
    switch (does.kind) {
      case "command":
        this.#ran(does.command, ok);
        if (isTestRun(does.command)) {
          const passed = ok && testPassed(output);
          this.#lastTest = { command: does.command, ok: passed, output: cut(output, OUTPUT_KEPT) };
        }
        return;
      case "read":
      case "write":
        if (ok) this.#touched(does, made);
        return;
      default:
    }
  }

  #called(does: ToolAction, about: string): void {
    if (this.#beginsWindow) this.#working.nextWindow();
    this.#beginsWindow = false;
    this.#working.called();
    if (does.kind === "other") this.#working.asked(about);
  }

  /** What a subagent wrote is there. What it looked at, only it knows. */
  #inHand(does: ToolAction, { ok, output, subagent }: ToolEnd): void {
    if (subagent !== undefined && does.kind !== "write") return;
    switch (does.kind) {
      case "command":
        this.#working.ran(does.command, output);
        if (isTestRun(does.command)) this.#working.tested(does.command, ok && testPassed(output), output);
        return;
      case "read":
        if (ok) this.#working.read(this.#shown(does.path), does.lines, output);
        return;
      case "write":
        if (ok) this.#working.wrote(this.#shown(does.path), does.changes ?? []);
        return;
      case "search":
        if (ok) this.#working.searched(does.pattern, does.path && this.#shown(does.path), output);
        return;
      case "other":
        this.#working.printed(output);
        return;
      default:
    }
  }

  #ran(command: string, ok: boolean | null): void {
    const known = this.#commands.get(command);
    this.#commands.delete(command);
    this.#commands.set(command, { command, ok, runs: (known?.runs ?? 0) + (ok === null ? 1 : 0) });
    if (this.#commands.size <= COMMANDS_KEPT) return;
    const [first, ...others] = this.#commands.values();
    const oldest = first?.runs === 1 ? first : (others.find(({ runs }) => runs === 1) ?? first);
    if (oldest !== undefined) this.#commands.delete(oldest.command);
  }

  #touched({ kind, path }: Extract<ToolAction, { path: string }>, made: Made | undefined): void {
    const shown = this.#shown(path);
    const known = this.#files.get(shown) ?? { path: shown, change: null, read: false };
    const change = known.change ?? (made?.kind === "file" ? "created" : "edited");
    this.#files.delete(shown);
    this.#files.set(shown, kind === "read" ? { ...known, read: true } : { ...known, change });
  }

  #shown(path: string): string {
    const inside = isAbsolute(path) ? relative(this.#cwd, path) : path;
    return inside.startsWith("..") || inside === "" ? path : inside;
  }
}

/** The end of a text says how it went. */
function cut(text: string, longest: number): string {
  return text.length > longest ? `…${text.slice(-longest)}` : text;
}
