import type { ModelUsage, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { AgentEvent, BackgroundTask, TokenUsage } from "../events.ts";
import { apiFailure } from "./api-failure.ts";
import type { Denials } from "./denials.ts";
import { outcomeOf, type TurnSigns } from "./outcome.ts";
import { listCost, type Terms } from "./prices.ts";
import { howEnded, madeBy, toolStart } from "./tools.ts";
import { SYNTHETIC } from "./transcript/line.ts";
import { termsIn, tokensIn } from "./usage.ts";

type TaskStarted = Extract<SDKMessage, { subtype: "task_started" }>;
type Assistant = Extract<SDKMessage, { type: "assistant" }>;
type User = Extract<SDKMessage, { type: "user" }>;
type StreamEvent = Extract<SDKMessage, { type: "stream_event" }>;
type HowToStart = Required<Pick<BackgroundTask, "command" | "cwd">>;
/** A response that is not priced yet: its output may not be counted in full. */
type Response = Extract<AgentEvent, { type: "response" }> & { terms: Terms };

/** Turns the program's messages into the contract's events, one run of the program from first to last message. */
export class ClaudeMessages {
  readonly #resumed: boolean;
  readonly #denials: Denials;
  #model: string | undefined;
  #signs: TurnSigns = {};
  #pending: Response | undefined;
  #lastOfSubagent = new Map<string, string>();
  #seenTokens = 0;
  #earlierCost: number | undefined;
  #subagentTasks = new Map<string, string>();
  #background: BackgroundTask[] = [];
  /** Of commands, by the id of their call and by that of their task. */
  #calls = new Map<string, HowToStart>();
  #tasks = new Map<string, HowToStart>();

  constructor(options: { resumed: boolean; denials: Denials }) {
    this.#resumed = options.resumed;
    this.#denials = options.denials;
  }

  *events(message: SDKMessage): Generator<AgentEvent> {
    switch (message.type) {
      case "assistant":
        yield* this.#assistant(message);
        return;
      case "user":
        for (const event of toolResults(message)) {
          if (event.type === "tool:end") {
            this.#calls.delete(event.id);
            this.#denials.ended(event.id);
          }
          yield event;
        }
        return;
      case "stream_event":
        yield* this.#streamed(message);
        return;
      case "result":
        yield* this.flush();
        yield* this.#denials.atEnd(message);
        yield this.#turnEnd(message);
        return;
      case "rate_limit_event": {
        const info = message.rate_limit_info;
        this.#signs.limit = info;
        if (info.status === "allowed") return;
        yield {
          type: "limit",
          state: info.status === "rejected" ? "reached" : "near",
          ...(info.rateLimitType && { scope: info.rateLimitType }),
          ...(info.resetsAt !== undefined && { resetsAt: info.resetsAt * 1000 }),
        };
        return;
      }
      case "system":
        yield* this.#system(message);
        return;
      default:
        yield { type: "activity" };
    }
  }

  /** A command is about to run. It may turn out to be a task in the background. */
  commandCalled(id: string, how: HowToStart): void {
    this.#calls.set(id, how);
  }

  *#system(message: Extract<SDKMessage, { type: "system" }>): Generator<AgentEvent> {
    switch (message.subtype) {
      case "init":
        if (message.model === this.#model) yield { type: "activity" };
        else {
          this.#model = message.model;
          yield {
            type: "init",
            sessionId: message.session_id,
            model: message.model,
            program: `Claude Code ${message.claude_code_version}`,
          };
        }
        return;
      case "status":
        if (message.status === "compacting") yield { type: "compaction:start" };
        else if (message.compact_result === "failed") yield { type: "compaction:end", ok: false };
        else yield { type: "activity" };
        return;
      case "compact_boundary": {
        const { pre_tokens: before, post_tokens: after } = message.compact_metadata;
        yield { type: "compaction:end", ok: true, before, ...(after !== undefined && { after }) };
        return;
      }
      case "permission_denied":
        yield this.#denials.denied(message);
        return;
      case "background_tasks_changed":
        this.#background = message.tasks
          .filter((task) => !task.ambient)
          .map((task) => ({ id: task.task_id, kind: task.task_type, description: task.description }));
        yield this.#inBackground();
        return;
      case "task_started":
        if (message.subagent_type === undefined) yield this.#commandStarted(message);
        else yield this.#subagent(message.task_id, message.description, "running");
        return;
      case "task_notification":
        this.#tasks.delete(message.task_id);
        if (this.#subagentTasks.has(message.task_id))
          yield this.#subagent(message.task_id, "", message.status);
        else yield { type: "activity" };
        return;
      case "api_retry":
        yield {
          type: "retry",
          attempt: message.attempt,
          of: message.max_retries,
          delayMs: message.retry_delay_ms,
          ...(message.error_status !== null && { status: message.error_status }),
          message: apiFailure(message.error_status ?? undefined, message.error),
        };
        return;
      case "session_state_changed":
        yield message.state === "idle" ? { type: "idle" } : { type: "activity" };
        return;
      default:
        yield { type: "activity" };
    }
  }

  #commandStarted({ task_id: id, tool_use_id: call = "" }: TaskStarted): AgentEvent {
    const how = this.#calls.get(call);
    if (how) this.#tasks.set(id, how);
    return this.#background.some((task) => task.id === id) ? this.#inBackground() : { type: "activity" };
  }

  #inBackground(): AgentEvent {
    return {
      type: "background",
      tasks: this.#background.map((task) => ({ ...task, ...this.#tasks.get(task.id) })),
    };
  }

  #subagent(id: string, task: string, state: Extract<AgentEvent, { type: "subagent" }>["state"]): AgentEvent {
    const known = task || (this.#subagentTasks.get(id) ?? "");
    this.#subagentTasks.set(id, known);
    return { type: "subagent", id, task: known, state };
  }

  *#assistant(message: Assistant): Generator<AgentEvent> {
    const { message: response, parent_tool_use_id: parent } = message;
    if (message.error) {
      this.#signs.error = message.error;
      const [block] = response.content;
      if (block?.type === "text") this.#signs.errorText = block.text;
    }
    if (response.model === SYNTHETIC) {
      yield { type: "activity" };
      return;
    }
    const subagent = parent === null ? {} : { subagent: message.agent_id ?? parent };
    const { id, model } = response;
    const usage = counted(response.usage);
    const heard: Response = {
      type: "response",
      id,
      model,
      ...usage,
      terms: termsIn(response.usage),
      ...subagent,
    };
    if (heard.subagent !== undefined) yield* this.#subagentResponse(heard, heard.subagent);
    else if (this.#pending?.id !== id) {
      yield* this.flush();
      this.#pending = heard;
    }
    for (const block of response.content) {
      if (block.type === "text" && block.text) yield { type: "text", text: block.text, ...subagent };
      if (block.type === "tool_use") {
        this.#denials.called(block.id, block.input);
        yield { ...toolStart(block.id, block.name, block.input), ...subagent };
      }
    }
  }

  /** Subagents are not streamed, so their first block is all there is to wait for. */
  *#subagentResponse(response: Response, subagent: string): Generator<AgentEvent> {
    if (this.#lastOfSubagent.get(subagent) === response.id) return;
    this.#lastOfSubagent.set(subagent, response.id);
    this.#seenTokens += sent(response.usage);
    yield priced(response);
  }

  /** The last delta of a message is the only place where the output is counted in full. */
  *#streamed({ event, parent_tool_use_id: parent }: StreamEvent): Generator<AgentEvent> {
    if (event.type === "message_delta" && parent === null && this.#pending) {
      const { usage, terms } = this.#pending;
      if (usage) usage.output = tokensIn(event.usage).output || usage.output;
      terms.webSearches = termsIn(event.usage).webSearches;
      yield* this.flush();
    } else if (event.type === "content_block_delta" && event.delta.type === "text_delta" && parent === null) {
      yield { type: "text:delta", text: event.delta.text };
    } else yield { type: "activity" };
  }

  /** Gives out a response whose last word is awaited, when it is known that nothing more of it comes. */
  *flush(): Generator<AgentEvent> {
    if (!this.#pending) return;
    const response = this.#pending;
    this.#seenTokens += sent(response.usage);
    this.#pending = undefined;
    yield priced(response);
    // Here again only when the reader asks for more, and so has dealt with the response.
  }

  #turnEnd(result: SDKResultMessage): AgentEvent {
    const outcome = outcomeOf(result, this.#signs);
    this.#signs = {};
    const windows: Record<string, number> = {};
    for (const [model, usage] of Object.entries(result.modelUsage)) windows[model] = usage.contextWindow;
    return {
      type: "turn:end",
      outcome,
      costUsd: this.costOfThisRun(result.total_cost_usd, result.modelUsage),
      windows,
    };
  }

  /** A resumed session may go on counting from what its transcript saved, which was paid for earlier. */
  costOfThisRun(totalCostUsd: number, byModel: Record<string, ModelUsage>): number {
    if (this.#earlierCost === undefined) {
      let total = 0;
      for (const usage of Object.values(byModel)) {
        total += usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
      }
      const ours = this.#resumed && total > 0 ? Math.min(1, this.#seenTokens / total) : 1;
      this.#earlierCost = totalCostUsd * (1 - ours);
    }
    return Math.max(0, totalCostUsd - this.#earlierCost);
  }
}

function* toolResults(message: User): Generator<AgentEvent> {
  const { content } = message.message;
  if (typeof content === "string") {
    yield { type: "activity" };
    return;
  }
  const { parent_tool_use_id: parent } = message;
  const agentId = "agent_id" in message ? message.agent_id : undefined;
  const subagent = parent === null ? {} : { subagent: agentId ?? parent };
  for (const block of content) {
    if (block.type !== "tool_result") continue;
    const { tool_use_id: id } = block;
    const output = textOf(block.content);
    const ok = block.is_error !== true;
    yield { type: "tool:end", id, ok, output, ...howEnded(ok, output), ...madeBy(output), ...subagent };
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) =>
      typeof block === "object" && block !== null && "text" in block ? String(block.text) : "",
    )
    .filter(Boolean)
    .join("\n");
}

function sent(usage: TokenUsage | undefined): number {
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
}

/** A server between the program and the model may leave out what the types promise. Then the figure is unknown. */
function counted(told: unknown): Pick<Response, "usage"> {
  const usage = tokensIn(told);
  return sent(usage) > 0 ? { usage } : {};
}

function priced({ terms, ...response }: Response): AgentEvent {
  const costUsd = response.usage && listCost(response.model, response.usage, terms);
  return { ...response, ...(costUsd !== undefined && { costUsd }) };
}
