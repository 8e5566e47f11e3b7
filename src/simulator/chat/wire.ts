import { randomUUID } from "node:crypto";
import { identifier } from "../identifier.ts";
import type { Reply } from "../scenario.ts";
import type { Usage } from "../usage.ts";
import { pieces } from "../wire.ts";
import { type OfferedTool, wireCall } from "./tools.ts";

interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: [{ index: 0; message: Said; finish_reason: "stop" | "tool_calls" }];
  usage?: object;
}

interface Said {
  role: "assistant";
  content: string | null;
  reasoning_content?: string;
  tool_calls?: WireCall[];
}

export function encodeCompletion(
  reply: Reply,
  model: string,
  usage: Usage,
  offered: readonly OfferedTool[],
): ChatCompletion {
  const message = saidBy(reply, offered);
  return {
    id: identifier("chatcmpl"),
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" }],
    ...(reply.fault?.kind !== "no-usage" && { usage: wireUsage(usage) }),
  };
}

/** The completion as the chunks of a stream, each ready to be written. Tokens are told only where they are asked for. */
export function encodeChunks(completion: ChatCompletion, streamsUsage: boolean): string[] {
  const { choices, usage, ...head } = completion;
  const [{ message, finish_reason }] = choices;
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`;
  const delta = (delta: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  return [
    delta({ role: "assistant", content: "" }),
    ...pieces(message.reasoning_content ?? "").map((reasoning_content) => delta({ reasoning_content })),
    ...pieces(message.content ?? "").map((content) => delta({ content })),
    ...(message.tool_calls ?? []).flatMap(({ function: called, ...call }, index) => [
      delta({ tool_calls: [{ index, ...call, function: { ...called, arguments: "" } }] }),
      ...pieces(called.arguments).map((part) =>
        delta({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    delta({}, finish_reason),
    ...(streamsUsage && usage ? [chunk({ choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}

function wireUsage({ input_tokens, cache_read_input_tokens: cached_tokens, output_tokens }: Usage): object {
  const prompt_tokens = input_tokens + cached_tokens;
  return {
    prompt_tokens,
    prompt_tokens_details: { cached_tokens },
    completion_tokens: output_tokens,
    completion_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt_tokens + output_tokens,
  };
}

function saidBy({ say, think, call = [], fault }: Reply, offered: readonly OfferedTool[]): Said {
  if (fault?.kind === "empty") return { role: "assistant", content: null };
  const calls = [call].flat().map((one): WireCall => {
    const { tool, input } = wireCall(one, offered);
    const called = { name: tool, arguments: JSON.stringify(input) };
    return { id: `call_${randomUUID().replaceAll("-", "")}`, type: "function", function: called };
  });
  // A stream can only break off in the middle of something.
  const content = say ?? (fault && calls.length === 0 ? "Let me look at this first." : null);
  return {
    role: "assistant",
    content,
    ...(think !== undefined && { reasoning_content: think }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
