import type { AgentEvent, Outcome } from "../events.ts";
import { failureOf, plainFailure, statusIn } from "./outcome.ts";
import { type AssistantMessage, modelName, type PiRecord, textOf, tokensOf } from "./records.ts";
import { toolEnd, toolStart } from "./tools.ts";

/** Turns what pi prints into the contract's events, one run of the program from first to last record. */
export class PiMessages {
  #last: AssistantMessage | undefined;
  #refused: string | undefined;
  #costUsd = 0;
  #compacting = false;

  /** Of all responses that were given out. */
  get costUsd(): number {
    return this.#costUsd;
  }

  *events(record: PiRecord): Generator<AgentEvent> {
    switch (record.type) {
      case "message_update": {
        const { type, delta = "" } = record.assistantMessageEvent;
        yield type === "text_delta" ? { type: "text:delta", text: delta } : { type: "activity" };
        return;
      }
      case "message_end":
        if (record.message.role === "assistant") yield* this.#answered(record.message);
        else yield { type: "activity" };
        return;
      case "tool_execution_end":
        yield toolEnd(record.toolCallId, record.result, record.isError);
        return;
      case "compaction_end":
        yield* this.#compacted(record);
        return;
      case "auto_retry_start": {
        const { attempt, maxAttempts: of, delayMs, errorMessage } = record;
        const status = statusIn(errorMessage);
        const message = plainFailure(errorMessage);
        yield { type: "retry", attempt, of, delayMs, ...(status !== undefined && { status }), message };
        return;
      }
      default:
        yield { type: "activity" };
    }
  }

  /** What pi would not begin. */
  refused(why: string): void {
    this.#refused = why;
  }

  /** It compacts its window from here on. */
  compacts(): AgentEvent {
    this.#compacting = true;
    return { type: "compaction:start" };
  }

  /** How the turn ended that has just settled, where nobody stopped it. */
  outcome(): Outcome {
    const [last, refused] = [this.#last, this.#refused];
    this.#last = undefined;
    this.#refused = undefined;
    if (refused !== undefined) return failureOf(refused);
    switch (last?.stopReason) {
      case "error":
        return failureOf(last.errorMessage ?? "The answer failed.");
      case "aborted":
        return { kind: "interrupted" };
      case "length":
        return {
          kind: "failed",
          code: "max_output_tokens",
          message: "The answer was cut off where the model's output ends.",
          retryable: true,
        };
      default:
        return { kind: "completed", text: textOf(last?.content ?? []) };
    }
  }

  *#answered(message: AssistantMessage): Generator<AgentEvent> {
    this.#last = message;
    if (message.stopReason === "error" || message.stopReason === "aborted") {
      yield { type: "activity" };
      return;
    }
    yield* spoken(message);
    this.#costUsd += message.usage?.cost.total ?? 0;
    yield response(message);
  }

  *#compacted({ result }: Extract<PiRecord, { type: "compaction_end" }>): Generator<AgentEvent> {
    if (!this.#compacting) {
      yield { type: "activity" };
      return;
    }
    this.#compacting = false;
    const { tokensBefore: before, estimatedTokensAfter: after } = result ?? {};
    const figures = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    yield { type: "compaction:end", ok: result !== undefined, ...figures };
  }
}

/** What an answer says, and the calls that it makes. */
export function* spoken({ content }: AssistantMessage): Generator<AgentEvent> {
  for (const block of content) {
    if (block.type === "text" && block.text !== "") yield { type: "text", text: block.text };
    if (block.type === "toolCall") yield toolStart(block.id, block.name, block.arguments);
  }
}

export function response(message: AssistantMessage): Extract<AgentEvent, { type: "response" }> {
  const usage = tokensOf(message);
  return {
    type: "response",
    id: message.responseId ?? `pi-${message.timestamp}`,
    model: modelName(message),
    ...(usage && { usage, costUsd: message.usage?.cost.total ?? 0 }),
  };
}
