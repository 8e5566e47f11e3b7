import { isAbsolute, relative } from "node:path";
import type { AgentEvent, Made, ToolAction } from "../agents/events.ts";
import { followTodos, type TodoList } from "../agents/todos.ts";
import type { Account } from "./account.ts";
import type { CommandFact, Facts, FileFact, RefusedFact, SubagentFact, TestFact, TodoFact } from "./facts.ts";
import { UserWords } from "./said/user-words.ts";
import { isTestRun, testPassed } from "./test-runs.ts";
import { excerpt } from "./text/excerpt.ts";
import { WorkingSetCollector } from "./working/collect.ts";
import { noWorkingSet } from "./working/working-set.ts";

const COMMANDS_KEPT = 60;
const ERROR_KEPT = 4_000;
const OUTPUT_KEPT = 1_500;
const REFUSED_KEPT = 20;

type ToolStart = Extract<AgentEvent, { type: "tool:start" }>;
type ToolEnd = Extract<AgentEvent, { type: "tool:end" }>;

interface RunningCall {
  start: ToolStart;
  /** What was known of its command before. */
  earlier: CommandFact | undefined;
}

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
  readonly #words: UserWords;
  readonly #running = new Map<string, RunningCall>();
  readonly #working: WorkingSetCollector;
  #session: string | undefined;
  /** The next call is the first of its window. */
  #beginsWindow: boolean;
  /** Calls that were not made because somebody said no, the newest last. */
  readonly #refused = new Map<string, RefusedFact>();
  #done: string[];
  #lastTest: TestFact | null;
  #lastError: string | null;
  #lastText: string | null;

  /** `earlier`: what the sessions before this one knew. */
  constructor(cwd: string, earlier: Facts) {
    this.#cwd = cwd;
    this.#request = earlier.request;
    this.#words = new UserWords(earlier);
    this.#done = [...earlier.done];
    for (const file of earlier.files) this.#files.set(file.path, { ...file });
    for (const run of earlier.commands) this.#commands.set(run.command, { ...run });
    this.#todos = { todos: earlier.todos, running: [] };
    for (const subagent of earlier.subagents) this.#subagents.set(subagent.id, subagent);
    for (const call of earlier.refused ?? []) this.#refused.set(call.call, call);
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
      case "queued":
      case "unqueued": {
        const heard = this.#words.add(event);
        if (heard !== undefined) this.#working.said(heard);
        return;
      }
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
        const call = this.#running.get(event.id);
        this.#running.delete(event.id);
        if (call && event.refused) this.#notMade(call, "user");
        else if (call) this.#ended(call.start.does, event);
        if (call) this.#inHand(call.start.does, event);
        if (!event.ok && !event.interrupted && event.output && event.subagent === undefined)
          this.#lastError = excerpt(event.output, ERROR_KEPT);
        return;
      }
      case "tool:denied": {
        const call = this.#running.get(event.id);
        this.#running.delete(event.id);
        if (call) this.#notMade(call, event.byPerson ? "user" : "rules");
        return;
      }
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
      messages: this.#words.messages,
      constraints: this.#words.constraints,
      done: this.#done,
      files: [...this.#files.values()],
      commands: [...this.#commands.values()],
      lastTest: this.#lastTest,
      lastError: this.#lastError,
      lastText: this.#lastText,
      todos: this.todos,
      subagents: [...this.#subagents.values()],
      ...(this.#refused.size > 0 && { refused: [...this.#refused.values()] }),
      working: this.#working.workingSet(),
    };
  }

  /** It was asked for, but nothing ran. */
  #notMade({ start: { does, name, about }, earlier }: RunningCall, by: RefusedFact["by"]): void {
    if (does.kind === "command") this.#commands.delete(does.command);
    if (earlier) this.#commands.set(earlier.command, earlier);
    const call = does.kind === "command" ? does.command : this.#inWords(does, name, about);
    this.#refused.delete(call);
    this.#refused.set(call, { call, by });
    const [first] = this.#refused.keys();
    if (this.#refused.size > REFUSED_KEPT && first !== undefined) this.#refused.delete(first);
  }

  #inWords(does: ToolAction, name: string, about: string): string {
    if (does.kind === "read" || does.kind === "write") return `${name} ${this.#shown(does.path)}`;
    // What no key tells of a call is its whole input.
    return about === "" || about.startsWith("{") ? name : `${name} ${about}`;
  }

  #subagent({ id, task, state, at }: Extract<AgentEvent, { type: "subagent" }>, heardAt?: string): void {
    const began = state === "running" ? (at ?? heardAt) : undefined;
    const startedAt = this.#subagents.get(id)?.startedAt ?? began;
    this.#subagents.set(id, { id, task, state, ...(startedAt !== undefined && { startedAt }) });
  }

  #started(start: ToolStart): void {
    const { id, does, about, subagent } = start;
    const earlier = does.kind === "command" ? this.#commands.get(does.command) : undefined;
    this.#running.set(id, { start, earlier });
    if (subagent === undefined) this.#called(does, about);
    if (does.kind === "command") this.#ran(does.command, null);
  }

  #ended(does: ToolAction, { ok, output, made, interrupted }: ToolEnd): void {
    switch (does.kind) {
      case "command":
        // How far it came, nobody knows.
        if (interrupted) return;
        this.#refused.delete(does.command);
        this.#ran(does.command, ok);
        if (isTestRun(does.command)) {
          const passed = ok && testPassed(output);
          this.#lastTest = {
            command: does.command,
            ok: passed,
            output: excerpt(output, OUTPUT_KEPT),
          };
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
  #inHand(does: ToolAction, { ok, output: printed, subagent, interrupted }: ToolEnd): void {
    if (subagent !== undefined && does.kind !== "write") return;
    // What the program says of a call that was not made, or not to its end, no command printed.
    const output = interrupted ? "" : printed;
    switch (does.kind) {
      case "command":
        this.#working.ran(does.command, output);
        if (isTestRun(does.command) && !interrupted)
          this.#working.tested(does.command, ok && testPassed(output), output);
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
