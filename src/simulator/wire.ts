import { identifier } from "./identifier.ts";
import type { Reply, ToolCall } from "./scenario.ts";
import type { Usage } from "./usage.ts";

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: ToolCall["input"] };

export interface ModelMessage {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: Block[];
  stop_reason: "end_turn" | "tool_use" | null;
  stop_sequence: null;
  usage?: Usage;
}

export function encodeMessage(reply: Reply, model: string, usage: Usage): ModelMessage {
  const content = blocksOf(reply);
  return {
    id: identifier("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    ...(reply.fault?.kind !== "no-usage" && { usage }),
  };
}

/** The message as the events of a stream, each ready to be written. */
export function encodeStream(message: ModelMessage): string[] {
  const { content, stop_reason, stop_sequence, usage } = message;
  const begun = usage && { usage: { ...usage, output_tokens: 1 } };
  const opening = { ...message, content: [], stop_reason: null, ...begun };
  return [
    event("message_start", { message: opening }),
    event("ping", {}),
    ...content.flatMap(streamBlock),
    event("message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("message_stop", {}),
  ];
}

function blocksOf({ say, think, call = [], fault }: Reply): Block[] {
  if (fault?.kind === "empty") return [];
  const blocks: Block[] = [];
  if (think !== undefined) blocks.push({ type: "thinking", thinking: think, signature: identifier("sig") });
  if (say !== undefined) blocks.push({ type: "text", text: say });
  for (const { tool, input } of [call].flat()) {
    blocks.push({ type: "tool_use", id: identifier("toolu"), name: tool, input });
  }
  // A stream can only break off in the middle of something.
  if (fault && blocks.length === 0) blocks.push({ type: "text", text: "Let me look at this first." });
  return blocks;
}

function streamBlock(block: Block, index: number): string[] {
  const start = (content_block: unknown) => event("content_block_start", { index, content_block });
  const delta = (delta: unknown) => event("content_block_delta", { index, delta });
  const stop = event("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...pieces(block.text).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...pieces(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "tool_use":
      return [
        start({ ...block, input: {} }),
        ...pieces(JSON.stringify(block.input)).map((partial_json) =>
          delta({ type: "input_json_delta", partial_json }),
        ),
        stop,
      ];
  }
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** In two at least, so that a stream can break in the middle of a text. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.min(1_000, Math.ceil(text.length / 2)));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}
