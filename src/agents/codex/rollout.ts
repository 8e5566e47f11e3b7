import { fromJson, isFields } from "../../util/json.ts";
import type { AgentEvent } from "../events.ts";
import { CallBook } from "./calls/call-book.ts";
import type { Fields } from "./connection.ts";
import { listCost } from "./prices.ts";
import { usageIn } from "./usage.ts";

/** Lines of a transcript that hold events have one of these. Most do not, and need not be parsed. */
const MARK =
  /"type":"(?:item_completed|(?:function_call|custom_tool_call)(?:_output)?|token_usage_record|turn_context|session_meta|context_compacted)"/;

/** Turns the lines of one Codex transcript into events, from its beginning. */
export class Rollout {
  #model = "";
  #sessionId = "";
  #version = "";
  #calls = new CallBook({ cwd: "/", ownTools: [] });

  *events(line: string): Generator<AgentEvent> {
    const entry = MARK.test(line) ? fromJson(line) : undefined;
    if (!isFields(entry) || !isFields(entry.payload)) return;
    const { payload, timestamp } = entry;
    switch (entry.type) {
      case "session_meta":
        this.#began(payload);
        return;
      case "turn_context":
        yield* this.#context(payload);
        return;
      case "token_usage_record":
        yield this.#response(payload, timestamp);
        return;
      case "response_item":
        if (/_output$/.test(String(payload.type))) yield* this.#calls.answered(payload);
        else if (/_call$/.test(String(payload.type))) yield* this.#calls.called(payload);
        return;
      case "event_msg":
        if (payload.type === "item_completed" && isFields(payload.item)) yield* this.#item(payload.item);
        if (payload.type === "context_compacted") yield { type: "compaction:end", ok: true };
    }
  }

  #began({ id, cli_version: version, cwd, dynamic_tools: tools }: Fields): void {
    this.#sessionId = String(id);
    this.#version = String(version);
    const own = Array.isArray(tools) ? tools.filter(isFields).map(({ name }) => String(name)) : [];
    this.#calls = new CallBook({ cwd: String(cwd), ownTools: own });
  }

  *#context({ model }: Fields): Generator<AgentEvent> {
    if (model === this.#model) return;
    this.#model = String(model);
    yield { type: "init", sessionId: this.#sessionId, model: this.#model, program: `Codex ${this.#version}` };
  }

  #response({ response_id: id, usage: told }: Fields, at: unknown): AgentEvent {
    const usage = usageIn(told);
    const costUsd = usage && listCost(this.#model, usage);
    return {
      type: "response",
      id: String(id),
      model: this.#model,
      ...(usage && { usage }),
      ...(costUsd !== undefined && { costUsd }),
      ...(typeof at === "string" && { at }),
    };
  }

  *#item(item: Fields): Generator<AgentEvent> {
    const text = textsIn(item.content);
    if (item.type === "UserMessage" && text) yield { type: "user", text };
    else if (item.type === "AgentMessage" && text) yield { type: "text", text };
    else yield* this.#calls.completed(item);
  }
}

function textsIn(content: unknown): string {
  const parts = Array.isArray(content) ? content.filter(isFields) : [];
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}
