import type { OfferedTool } from "../chat/tools.ts";
import { identifier } from "../identifier.ts";
import type { Reply } from "../scenario.ts";
import type { Usage } from "../usage.ts";
import { pieces } from "../wire.ts";
import { wireCall } from "./tools.ts";

type Part =
  | { text: string; thought?: true }
  | { functionCall: { id: string; name: string; args: object }; thoughtSignature?: string };

export interface GeneratedContent {
  candidates: [{ index: 0; content: { role: "model"; parts: Part[] }; finishReason?: "STOP" }];
  usageMetadata?: object;
  modelVersion: string;
  responseId: string;
}

export function encodeContent(
  reply: Reply,
  model: string,
  usage: Usage,
  offered: readonly OfferedTool[],
): GeneratedContent {
  return {
    candidates: [
      { index: 0, content: { role: "model", parts: partsOf(reply, offered) }, finishReason: "STOP" },
    ],
    ...(reply.fault?.kind !== "no-usage" && { usageMetadata: wireUsage(usage) }),
    modelVersion: model,
    responseId: identifier("resp"),
  };
}

/** The same, as what a stream carries: each is a whole of its kind, and the last one says that it is the last. */
export function chunksOf({ candidates, usageMetadata, ...head }: GeneratedContent): GeneratedContent[] {
  const [{ content, finishReason, ...candidate }] = candidates;
  const parts = content.parts.flatMap((part): Part[] =>
    "text" in part ? pieces(part.text).map((text) => ({ ...part, text })) : [part],
  );
  const chunk = (parts: Part[], more: object = {}): GeneratedContent => ({
    candidates: [{ ...candidate, content: { role: "model", parts }, ...more }],
    ...head,
  });
  return [
    ...parts.map((part) => chunk([part])),
    {
      ...chunk(content.parts.length > 0 ? [{ text: "" }] : [], { finishReason }),
      ...(usageMetadata && { usageMetadata }),
    },
  ];
}

export function encodeChunks(content: GeneratedContent): string[] {
  return chunksOf(content).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`);
}

function wireUsage({ input_tokens, cache_read_input_tokens: cached, output_tokens }: Usage): object {
  const promptTokenCount = input_tokens + cached;
  return {
    promptTokenCount,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    candidatesTokenCount: output_tokens,
    totalTokenCount: promptTokenCount + output_tokens,
  };
}

function partsOf({ say, think, call = [], fault }: Reply, offered: readonly OfferedTool[]): Part[] {
  if (fault?.kind === "empty") return [];
  const parts: Part[] = [];
  if (think !== undefined) parts.push({ text: think, thought: true });
  if (say !== undefined) parts.push({ text: say });
  [call].flat().forEach((one, at) => {
    const { tool: name, input: args } = wireCall(one, offered);
    // Of calls side by side, the first carries it.
    const signed = at === 0 && { thoughtSignature: Buffer.from(identifier("sig")).toString("base64") };
    parts.push({ functionCall: { id: identifier("toolu"), name, args }, ...signed });
  });
  // A stream can only break off in the middle of something.
  if (fault && parts.length === 0) parts.push({ text: "Let me look at this first." });
  return parts;
}
