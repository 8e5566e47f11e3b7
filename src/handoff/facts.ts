import type { AgentEvent } from "../agents/agent.ts";
import type { GitState } from "../workspace/git.ts";

interface CommandRun {
  command: string;
  ok?: boolean;
}

/** What a machine can know exactly about a session, with no model. */
export interface Facts {
  /** Paths the agent wrote or edited through its tools, in the order it first touched them. */
  files: string[];
  commands: CommandRun[];
  lastText?: string;
  lastError?: string;
  git?: GitState;
}

const COMMANDS_KEPT = 40;

/** Folds one session's events into facts. */
export class FactCollector {
  #files = new Set<string>();
  #commands: CommandRun[] = [];
  #running = new Map<string, CommandRun>();
  #lastText: string | undefined;
  #lastError: string | undefined;

  add(event: AgentEvent): void {
    switch (event.type) {
      case "text":
        if (event.subagent === undefined) this.#lastText = event.text;
        return;
      case "tool:start":
        this.#toolStarted(event.id, event.input);
        return;
      case "tool:end": {
        const run = this.#running.get(event.id);
        if (run) run.ok = event.ok;
        this.#running.delete(event.id);
        if (!event.ok && event.output) this.#lastError = event.output;
        return;
      }
      default:
    }
  }

  facts(git: GitState | undefined): Facts {
    return {
      files: [...this.#files],
      commands: this.#commands,
      ...(this.#lastText !== undefined && { lastText: this.#lastText }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      ...(git && { git }),
    };
  }

  #toolStarted(id: string, input: unknown): void {
    const path = field(input, "file_path") ?? field(input, "notebook_path");
    const changes = ["content", "new_string", "edits", "new_source"].some((key) => has(input, key));
    if (path && changes) this.#files.add(path);
    const command = field(input, "command");
    if (command === undefined) return;
    const run: CommandRun = { command };
    this.#running.set(id, run);
    this.#commands.push(run);
    if (this.#commands.length > COMMANDS_KEPT) this.#commands.shift();
  }
}

function has(input: unknown, key: string): boolean {
  return typeof input === "object" && input !== null && key in input;
}

function field(input: unknown, key: string): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const value: unknown = Reflect.get(input, key);
  return typeof value === "string" ? value : undefined;
}
