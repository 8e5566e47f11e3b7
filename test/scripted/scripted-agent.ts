import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listCost } from "../../src/agents/claude/prices.ts";
import { questionsIn } from "../../src/agents/claude/questions.ts";
import { aboutCall, howEnded, madeBy, toolStart } from "../../src/agents/claude/tools.ts";
import { termsIn, tokensIn } from "../../src/agents/claude/usage.ts";
import type { AgentEvent, BackgroundTask, Grant, Outcome } from "../../src/agents/events.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/agents/permission.ts";
import { type Answer, type ApiMessage, ask, type Block, type ModelMessage } from "./api.ts";
import { contextWindowOf, costOf, MODEL } from "./figures.ts";
import type { ProgramSpec } from "./protocol.ts";
import { bash, endCommands, fileTool, type Input, TOOLS, type ToolResult } from "./tools.ts";
import { Transcript } from "./transcript.ts";

export interface Host {
  emit(event: AgentEvent): void;
  stopsHere(): Promise<boolean>;
  callOwn(id: string, name: string, input: Input): Promise<ToolResult>;
  /** Asks a person where the permissions do not allow a call. */
  permit?(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** What hooks have to say after a tool call, for the model. */
  afterTool?(name: string, input: Input, result: ToolResult): Promise<string[]>;
  /** Why a turn must not end yet, where a hook says so. */
  whyNotEnd?(lastWords: string, wasAsked: boolean): Promise<string | undefined>;
}

/** As large as Claude Code's own prompt and tools, so that a window fills at the same pace: 22,000 tokens. */
const OWN_PROMPT = "You are a coding agent. ".padEnd(88_000, "Work with care. ");
const OWN_PREFIX = "mcp__baton__";
const RETRY_MS = 10;

class Interrupted extends Error {}

/** One thread of messages: the main one, or a subagent's, which has an id. */
interface Thread {
  id?: string;
  messages: ApiMessage[];
}

/** A coding agent as small as one can be: it asks the model, runs the tools, and tells what happens. */
export class ScriptedAgent {
  readonly #spec: ProgramSpec;
  readonly #host: Host;
  readonly #transcript: Transcript;
  readonly #main: Thread;
  readonly #background = new Map<string, BackgroundTask>();
  readonly #subagents = new Set<string>();
  readonly #allowed = new Set<string>();
  /** What a person said to questions of the agent's own, by their calls. */
  readonly #said = new Map<string, readonly string[]>();
  #waiting: { text: string; hints: readonly string[] }[] = [];
  #turn: AbortController | undefined;
  #loop: Promise<void> | undefined;
  #isKnown = false;
  #isEnding = false;
  #costUsd = 0;

  constructor(spec: ProgramSpec, host: Host) {
    this.#spec = spec;
    this.#host = host;
    const home = process.env.CLAUDE_CONFIG_DIR ?? join(process.env.HOME ?? homedir(), ".claude");
    this.#transcript = new Transcript(home, spec.sessionId, process.cwd());
    this.#main = { messages: spec.resume ? this.#transcript.messages() : [] };
  }

  /** Begins a turn, or joins those that wait for theirs. `hints` are for the model alone. */
  hear(text: string, hints: readonly string[] = []): void {
    this.#waiting.push({ text, hints });
    this.#loop ??= this.#work();
  }

  interrupt(): void {
    this.#turn?.abort(new Interrupted());
  }

  get #ownPrefix(): string {
    return this.#spec.ownPrefix ?? OWN_PREFIX;
  }

  /** From now on nothing begins. Resolves when nothing runs any more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#waiting = [];
    this.interrupt();
    await endCommands();
    await this.#loop;
  }

  async atRest(): Promise<void> {
    await this.#loop;
  }

  async #work(): Promise<void> {
    for (let heard = this.#waiting.shift(); heard !== undefined; heard = this.#waiting.shift()) {
      this.#introduce();
      this.#turn = new AbortController();
      this.#main.messages.push({ role: "user", content: [...reminders(heard.hints), textBlock(heard.text)] });
      this.#transcript.user(heard.text);
      const outcome = await this.#converse(this.#main, this.#turn.signal);
      this.#turn = undefined;
      const { model = MODEL } = this.#spec;
      const windows = { [model]: contextWindowOf(model) };
      this.#host.emit({ type: "turn:end", outcome, costUsd: this.#costUsd, windows });
    }
    this.#loop = undefined;
    if (this.#subagents.size === 0) this.#host.emit({ type: "idle" });
  }

  #introduce(): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    const { sessionId, model = MODEL } = this.#spec;
    this.#host.emit({ type: "init", sessionId, model, program: "Scripted agent" });
  }

  async #converse(thread: Thread, signal: AbortSignal): Promise<Outcome> {
    const { maxTurns = Number.POSITIVE_INFINITY } = this.#spec;
    let wasEmpty = false;
    let wasHeld = false;
    try {
      for (let turns = 0; ; turns++) {
        if (turns >= maxTurns) {
          return { kind: "max-turns", message: `Reached maximum number of turns (${maxTurns})` };
        }
        const answer = await this.#ask(thread, signal);
        if (answer.kind !== "message") return answer;
        const { message } = answer;
        const text = this.#tell(thread, message);
        const calls = message.content.filter(({ type }) => type === "tool_use");
        if (calls.length > 0) {
          await this.#runAll(thread, calls, signal);
          signal.throwIfAborted();
          if (thread.id === undefined && (await this.#host.stopsHere())) return { kind: "stopped" };
        } else if (text === "" && !wasEmpty) {
          wasEmpty = true;
          this.#say(thread, "Your last answer had no visible output. Please continue.");
        } else {
          const reason = thread.id === undefined ? await this.#host.whyNotEnd?.(text, wasHeld) : undefined;
          if (reason === undefined) return { kind: "completed", text };
          wasHeld = true;
          const feedback = `Stop hook feedback:\n${reason}`;
          thread.messages.push({ role: "user", content: feedback });
          this.#transcript.user(feedback, { isMeta: true });
        }
      }
    } catch (error) {
      if (signal.aborted) return { kind: "interrupted" };
      throw error;
    }
  }

  /** The text of the message, told with all else of it. */
  #tell(thread: Thread, message: ModelMessage): string {
    const owner = thread.id === undefined ? {} : { subagent: thread.id };
    for (const block of message.content) {
      if (block.type === "text" && block.text) this.#host.emit({ type: "text", text: block.text, ...owner });
      if (block.type === "tool_use") {
        const { id = "", name = "", input } = block;
        this.#host.emit({ ...toolStart(id, name, input), ...owner });
      }
    }
    const { id, model } = message;
    const usage = message.usage && tokensIn(message.usage);
    const costUsd = usage && listCost(model, usage, termsIn(message.usage));
    if (usage) this.#costUsd += costOf(usage);
    const priced = costUsd === undefined ? {} : { costUsd };
    this.#host.emit({ type: "response", id, model, ...(usage && { usage }), ...priced, ...owner });
    if (message.content.length > 0) thread.messages.push({ role: "assistant", content: message.content });
    if (thread.id === undefined) this.#transcript.assistant(message);
    return message.content.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n");
  }

  #say(thread: Thread, content: ApiMessage["content"]): void {
    thread.messages.push({ role: "user", content });
    if (thread.id === undefined) this.#transcript.user(content);
  }

  async #runAll(thread: Thread, calls: Block[], signal: AbortSignal): Promise<void> {
    const owner = thread.id === undefined ? {} : { subagent: thread.id };
    const results: Block[] = [];
    const hints: string[] = [];
    for (const { id = "", name = "", input = {} } of calls) {
      const denied = await this.#whyDenied(id, name, input, signal);
      if (denied) this.#host.emit({ ...denied, type: "tool:denied", id, name, about: aboutCall(input) });
      const { ok, text } = denied
        ? { ok: false, text: denied.message }
        : await this.#run(id, name, input, signal);
      const ended = { ...howEnded(ok, text), ...madeBy(text) };
      this.#host.emit({ type: "tool:end", id, ok, output: text, ...ended, ...owner });
      results.push({ type: "tool_result", tool_use_id: id, is_error: !ok, content: text });
      if (thread.id === undefined)
        hints.push(...((await this.#host.afterTool?.(name, input, { ok, text })) ?? []));
    }
    this.#say(thread, results);
    if (hints.length > 0) thread.messages.push({ role: "user", content: reminders(hints) });
  }

  async #whyDenied(
    id: string,
    name: string,
    input: Input,
    signal: AbortSignal,
  ): Promise<{ message: string; allow?: Grant; byPerson?: true } | undefined> {
    const message = `Permission to use ${name} has been denied.`;
    if (this.#spec.deniedTools.some((rule) => isOf(rule, name, input))) return { message };
    const questions = questionsIn(name, input);
    if (!questions && this.#isAllowed(name)) return undefined;
    if (!this.#spec.asks || !this.#host.permit) {
      const edits = TOOLS.some((tool) => tool.name === name && tool.edits);
      return { message, allow: edits ? { mode: "acceptEdits" } : { tools: [name] } };
    }
    const { about, does } = toolStart(id, name, input);
    const interrupted = new Promise<PermissionAnswer>((resolve) =>
      signal.addEventListener("abort", () => resolve({ answer: "no" }), { once: true }),
    );
    const said = await Promise.race([
      this.#host.permit({ id, name, about, input, does, ...(questions ? { questions } : { rule: name }) }),
      interrupted,
    ]);
    if (said.answer === "always") this.#allowed.add(name);
    if (said.answer === "said") this.#said.set(id, said.texts);
    if (said.answer !== "no") return undefined;
    const refused = said.because ? `The user said no: ${said.because}` : "The user said no.";
    return { message: refused, byPerson: true };
  }

  #isAllowed(name: string): boolean {
    const { allowedTools, permissionMode } = this.#spec;
    if (permissionMode === "bypassPermissions" || name.startsWith(this.#ownPrefix)) return true;
    const allowed = [...allowedTools, ...this.#allowed];
    if (allowed.some((rule) => rule.split("(")[0] === name)) return true;
    const tool = TOOLS.find((known) => known.name === name);
    return !tool || tool.isSafe || (tool.edits === true && permissionMode === "acceptEdits");
  }

  async #run(id: string, name: string, input: Input, signal: AbortSignal): Promise<ToolResult> {
    if (signal.aborted || this.#isEnding)
      return { ok: false, text: "[Request interrupted by user for tool use]" };
    if (name.startsWith(this.#ownPrefix))
      return this.#host.callOwn(id, name.slice(this.#ownPrefix.length), input);
    if (name === "Agent") return this.#launch(String(input.description), String(input.prompt));
    const answers = this.#said.get(id);
    if (answers) return { ok: true, text: `The user answered: ${answers.join(" · ")}` };
    if (name !== "Bash") return fileTool(name, input);
    const command = String(input.command);
    if (input.run_in_background !== true) return bash(command, signal);
    const how = { command, cwd: process.cwd() };
    const task = this.#begin("local_bash", String(input.description), how);
    void bash(command, new AbortController().signal).then(({ ok }) => this.#ended(task, ok));
    return { ok: true, text: `Command running in background with ID: ${task.id}.` };
  }

  /** A subagent works beside the main thread, which hears of its end. */
  #launch(description: string, prompt: string): ToolResult {
    const task = this.#begin("local_agent", description);
    this.#subagents.add(task.id);
    this.#host.emit({ type: "subagent", id: task.id, task: description, state: "running" });
    const thread: Thread = { id: task.id, messages: [{ role: "user", content: prompt }] };
    void this.#converse(thread, new AbortController().signal).then(({ kind }) => {
      this.#subagents.delete(task.id);
      const state = kind === "completed" ? "completed" : "failed";
      this.#host.emit({ type: "subagent", id: task.id, task: description, state });
      this.#ended(task, kind === "completed");
    });
    return { ok: true, text: `Async agent launched successfully. agentId: ${task.id}` };
  }

  #begin(kind: string, description: string, how: Partial<BackgroundTask> = {}): BackgroundTask {
    const task = { id: randomUUID().slice(0, 8), kind, description, ...how };
    this.#background.set(task.id, task);
    this.#host.emit({ type: "background", tasks: [...this.#background.values()] });
    return task;
  }

  /** The end of background work starts a turn by itself. */
  #ended({ id, description }: BackgroundTask, ok: boolean): void {
    this.#background.delete(id);
    this.#host.emit({ type: "background", tasks: [...this.#background.values()] });
    if (this.#isEnding) return;
    const status = ok ? "completed" : "failed";
    this.hear(
      `<task-notification>\n<task-id>${id}</task-id>\n<status>${status}</status>\n<summary>"${description}" ${status}</summary>\n</task-notification>`,
    );
  }

  /** The model's answer after as many tries as the program may make, or how the turn ends without one. */
  async #ask(
    thread: Thread,
    signal: AbortSignal,
  ): Promise<Extract<Answer, { kind: "message" }> | Exclude<Outcome, { kind: "completed" }>> {
    const { model = MODEL, systemPrompt = "", deniedTools, ownTools } = this.#spec;
    const names = [...TOOLS.map(({ name }) => name), ...ownTools.map((name) => this.#ownPrefix + name)];
    const prompt = {
      model,
      system: `${OWN_PROMPT}\n${systemPrompt}`,
      tools: names.filter((name) => !deniedTools.includes(name)).map((name) => ({ name, description: name })),
      messages: alternating(thread.messages),
    };
    const headers = {
      "content-type": "application/json",
      "x-claude-code-session-id": this.#spec.sessionId,
      ...(thread.id !== undefined && { "x-claude-code-agent-id": thread.id }),
    };
    const onText = (text: string) => {
      if (thread.id === undefined) this.#host.emit({ type: "text:delta", text });
    };
    const tries = Number(process.env.CLAUDE_CODE_MAX_RETRIES ?? 10);
    for (let attempt = 1; ; attempt++) {
      const answer = await ask(prompt, { headers, signal, onText });
      if (answer.kind === "message") return answer;
      const end = outcomeOf(answer);
      if (end.kind === "limited" && end.resetsAt !== undefined) {
        this.#host.emit({ type: "limit", state: "reached", scope: "five_hour", resetsAt: end.resetsAt });
        return end;
      }
      const isPassing = end.kind === "limited" || (end.kind === "failed" && end.retryable);
      if (!isPassing || attempt > tries) return end;
      const delayMs = RETRY_MS * attempt;
      const status = answer.kind === "refused" ? { status: answer.status } : {};
      this.#host.emit({ type: "retry", attempt, of: tries, delayMs, ...status, message: answer.message });
      await sleep(delayMs, undefined, { signal });
    }
  }
}

type Unanswered = Exclude<Answer, { kind: "message" }>;
type Failure = Extract<Outcome, { kind: "limited" | "failed" | "no-access" | "out-of-context" }>;

function outcomeOf(answer: Unanswered): Failure {
  if (answer.kind === "lost") {
    return { kind: "failed", code: "api_error", message: `API Error: ${answer.message}`, retryable: true };
  }
  const { status, headers } = answer;
  const message = `API Error: ${status} ${answer.message}`;
  const reset = headers["anthropic-ratelimit-unified-reset"];
  if (status === 429) {
    // Only on a plan is the time of the reset told.
    const isOnPlan = Boolean(process.env.CLAUDE_CODE_OAUTH_TOKEN);
    return { kind: "limited", message, ...(isOnPlan && reset && { resetsAt: Number(reset) * 1000 }) };
  }
  if (answer.message.startsWith("prompt is too long")) {
    return { kind: "out-of-context", message: "Prompt is too long" };
  }
  if (status === 413) return { kind: "out-of-context", message: "Request too large (max 32MB)." };
  if (status === 401) return { kind: "no-access", message: `Invalid API key (${message})` };
  const code = status < 500 ? "invalid_request" : "api_error";
  return { kind: "failed", code, message, retryable: status >= 500 };
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

function reminders(hints: readonly string[]): Block[] {
  return hints.map((hint) => textBlock(`<system-reminder>\n${hint}\n</system-reminder>`));
}

/** What was said in several pieces without an answer between them reaches the model as one message. */
function alternating(messages: ApiMessage[]): ApiMessage[] {
  const merged: { role: ApiMessage["role"]; content: Block[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [textBlock(content)] : content;
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else merged.push({ role, content: [...blocks] });
  }
  return merged;
}

/** As in `Bash(git push:*)`, or the name alone. */
function isOf(rule: string, name: string, input: Input): boolean {
  const [tool, start = ""] = rule.replace(/(?:[: ]\*)?\)$/, "").split("(");
  return tool === name && aboutCall(input).startsWith(start);
}
