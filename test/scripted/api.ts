import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

// Imported by name it brings along undici, which takes longer to load than all else together.
const { request } = process.getBuiltinModule("node:http");

export interface Block {
  type: string;
  text?: string;
  id?: string | undefined;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string | undefined;
  is_error?: boolean;
  content?: string;
}

export interface ApiMessage {
  role: "user" | "assistant";
  content: string | Block[];
}

export interface ModelMessage {
  id: string;
  role: "assistant";
  model: string;
  content: Block[];
  stop_reason: string | null;
  /** Some servers leave it out. */
  usage?: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number;
    cache_creation_input_tokens: number;
  };
}

export type Answer =
  | { kind: "message"; message: ModelMessage }
  | { kind: "refused"; status: number; message: string; headers: IncomingHttpHeaders }
  | { kind: "lost"; message: string };

export interface Prompt {
  model: string;
  system: string;
  tools: readonly { name: string; description: string }[];
  messages: ApiMessage[];
}

export interface AskOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
  onText: (piece: string) => void;
}

/** A stream that breaks is asked for once more in one piece, as Claude Code does. Rejects when the signal aborts. */
export async function ask(prompt: Prompt, options: AskOptions): Promise<Answer> {
  const answer = await post(prompt, true, options);
  return answer.kind === "lost" ? post(prompt, false, options) : answer;
}

async function post(
  prompt: Prompt,
  stream: boolean,
  { headers, signal, onText }: AskOptions,
): Promise<Answer> {
  const patience = AbortSignal.timeout(Number(process.env.API_TIMEOUT_MS ?? 600_000));
  try {
    const response = await send(JSON.stringify({ ...prompt, max_tokens: 32_000, stream }), headers, [
      signal,
      patience,
    ]);
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      const body: { error?: { message?: string } } = JSON.parse(await text(response));
      return { kind: "refused", status, message: body.error?.message ?? "", headers: response.headers };
    }
    const message = stream ? await streamed(response, onText) : JSON.parse(await text(response));
    if (message === undefined) return { kind: "lost", message: "Connection to the API was lost" };
    return { kind: "message", message };
  } catch {
    signal.throwIfAborted();
    const why = patience.aborted ? "Request timed out" : "Connection to the API was lost";
    return { kind: "lost", message: why };
  }
}

function send(body: string, headers: Record<string, string>, signals: AbortSignal[]) {
  const url = new URL("/v1/messages", process.env.ANTHROPIC_BASE_URL);
  const signal = AbortSignal.any(signals);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, signal }, resolve);
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Undefined where the stream ended before the message did. */
async function streamed(
  response: AsyncIterable<Buffer>,
  onText: (piece: string) => void,
): Promise<ModelMessage | undefined> {
  let message: ModelMessage | undefined;
  let json = "";
  let isComplete = false;
  for await (const event of eventsOf(response)) {
    const block = message?.content.at(-1);
    switch (event.type) {
      case "message_start":
        message = event.message;
        break;
      case "content_block_start":
        message?.content.push({ ...event.content_block });
        json = "";
        break;
      case "content_block_delta":
        if (event.delta.text !== undefined && block) {
          block.text = (block.text ?? "") + event.delta.text;
          onText(event.delta.text);
        }
        json += event.delta.partial_json ?? "";
        break;
      case "content_block_stop":
        if (block?.type === "tool_use") block.input = JSON.parse(json || "{}");
        break;
      case "message_delta":
        if (message && event.usage) message.usage = event.usage;
        break;
      case "message_stop":
        isComplete = true;
        break;
    }
  }
  return isComplete ? message : undefined;
}

type StreamEvent =
  | { type: "message_start"; message: ModelMessage }
  | { type: "content_block_start"; content_block: Block }
  | { type: "content_block_delta"; delta: { text?: string; partial_json?: string } }
  | { type: "content_block_stop" }
  | { type: "message_delta"; usage?: ModelMessage["usage"] }
  | { type: "message_stop" };

async function* eventsOf(response: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
