import { randomUUID } from "node:crypto";
import { identifier } from "../identifier.ts";
import type { Reply } from "../scenario.ts";
import type { Usage } from "../usage.ts";
import { pieces } from "../wire.ts";
import { type WireCall, wireCall } from "./tools.ts";

type Item =
  | { type: "message"; id: string; role: "assistant"; status: string; content: [OutputText] }
  | { type: "reasoning"; id: string; summary: [{ type: "summary_text"; text: string }] }
  | (WireCall & { id: string; call_id: string; status: string });

interface OutputText {
  type: "output_text";
  text: string;
  annotations: [];
}

export interface ModelResponse {
  id: string;
  object: "response";
  status: "completed";
  model: string;
  output: Item[];
  usage?: object;
}

export function encodeResponse(
  reply: Reply,
  model: string,
  usage: Usage,
  offered: readonly string[],
): ModelResponse {
  return {
    id: identifier("resp"),
    object: "response",
    status: "completed",
    model,
    output: itemsOf(reply, offered),
    ...(reply.fault?.kind !== "no-usage" && { usage: wireUsage(usage) }),
  };
}

/** The response as the events of a stream, each ready to be written. */
export function encodeEvents(response: ModelResponse): string[] {
  let number = 0;
  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
  const { usage: _, ...begun } = response;
  const opening = { response: { ...begun, status: "in_progress", output: [] } };
  return [
    event("response.created", opening),
    ...response.output.flatMap((item, output_index) => {
      const at = { output_index, item_id: item.id };
      const texts = item.type === "message" ? item.content.flatMap(({ text }) => pieces(text)) : [];
      const started = item.type === "message" ? { ...item, status: "in_progress", content: [] } : item;
      return [
        event("response.output_item.added", { output_index, item: started }),
        ...texts.map((delta) => event("response.output_text.delta", { ...at, content_index: 0, delta })),
        event("response.output_item.done", { output_index, item }),
      ];
    }),
    event("response.completed", { response }),
  ];
}

/** There is no class for what is written to the cache: it is input like any other. */
export function withoutCacheWrites(usage: Usage): Usage {
  const { input_tokens, cache_creation_input_tokens } = usage;
  return {
    ...usage,
    input_tokens: input_tokens + cache_creation_input_tokens,
    cache_creation_input_tokens: 0,
  };
}

function wireUsage({ input_tokens, cache_read_input_tokens: cached_tokens, output_tokens }: Usage): object {
  const sent = input_tokens + cached_tokens;
  return {
    input_tokens: sent,
    input_tokens_details: { cached_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: sent + output_tokens,
  };
}

function itemsOf({ say, think, call = [], fault }: Reply, offered: readonly string[]): Item[] {
  if (fault?.kind === "empty") return [];
  const items: Item[] = [];
  if (think !== undefined) {
    items.push({ type: "reasoning", id: newId("rs"), summary: [{ type: "summary_text", text: think }] });
  }
  if (say !== undefined) items.push(message(say));
  for (const one of [call].flat()) {
    const wire = wireCall(one, offered);
    const id = newId(wire.type === "function_call" ? "fc" : "ctc");
    items.push({ ...wire, id, call_id: newId("call"), status: "completed" });
  }
  // A stream can only break off in the middle of something.
  if (fault && items.length === 0) items.push(message("Let me look at this first."));
  return items;
}

function message(text: string): Item {
  const content: [OutputText] = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: newId("msg"), role: "assistant", status: "completed", content };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
