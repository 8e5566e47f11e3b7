import { z } from "zod";

/**
 * `main` is the agent's main thread, `subagent` a thread of a subagent, `side` what the program asks for
 * itself: a title, a summary for its own compaction, a probe of the quota.
 */
type RequestKind = "main" | "subagent" | "side";

/** A request for a model's answer, as a scenario sees it. */
export interface SimulatedRequest {
  kind: RequestKind;
  model: string;
  /** Names of the tools on offer. */
  tools: string[];
  system: string;
  messages: SimulatedMessage[];
  /** The text of all messages, tool results included and tool calls not. */
  text: string;
  /** The text of the last user message, tool results included. */
  last: string;
  /** Every tool result in the conversation, oldest first. */
  results: ToolResult[];
  /** Answers of the assistant so far. */
  turns: number;
  sentTokens: number;
  sessionId?: string;
  /** Set on a subagent's requests. */
  agentId?: string;
  headers: Record<string, string>;
}

interface SimulatedMessage {
  role: string;
  text: string;
}

interface ToolResult {
  toolUseId: string;
  text: string;
  isError: boolean;
}

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  get content() {
    return z.union([z.string(), z.array(block)]).optional();
  },
});
const content = z.union([z.string(), z.array(block)]);

const wireRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  system: content.optional(),
  tools: z.array(z.looseObject({ name: z.string().optional() })).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content })),
  metadata: z.looseObject({ user_id: z.string().optional() }).optional(),
});

/** The body of POST /v1/messages, as far as the simulator reads it. */
export type WireRequest = z.infer<typeof wireRequest>;
type Content = z.infer<typeof content>;

type ParsedBody = { ok: true; wire: WireRequest } | { ok: false; message: string };

export function parseBody(body: string): ParsedBody {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, message: "The request body is not valid JSON" };
  }
  const parsed = wireRequest.safeParse(json);
  if (parsed.success) return { ok: true, wire: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, message: `${issue?.path.join(".")}: ${issue?.message}` };
}

export function readRequest(
  wire: WireRequest,
  headers: Record<string, string>,
  sentTokens: number,
): SimulatedRequest {
  const messages = wire.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const agentId = headers["x-claude-code-agent-id"];
  const sessionId =
    headers["x-claude-code-session-id"] ?? headers["session-id"] ?? sessionOf(wire.metadata?.user_id);
  const last = messages.findLast(({ role }) => role === "user")?.text ?? "";
  return {
    kind: kindOf(wire, last, agentId),
    model: wire.model,
    tools: (wire.tools ?? []).flatMap(({ name }) => name ?? []),
    system: textOf(wire.system ?? ""),
    messages,
    text: messages.map(({ text }) => text).join("\n"),
    last,
    results: wire.messages.flatMap(({ content }) => resultsOf(content)),
    turns: messages.filter(({ role }) => role === "assistant").length,
    sentTokens,
    ...(sessionId !== undefined && { sessionId }),
    ...(agentId !== undefined && { agentId }),
    headers,
  };
}

/** The request for a compaction summary carries the tools of its thread, so only its wording tells it apart. */
export function asksForSummary(last: string): boolean {
  return last.includes("Respond with TEXT ONLY. Do NOT call any tools.") && last.includes("<summary>");
}

function kindOf(wire: WireRequest, last: string, agentId: string | undefined): RequestKind {
  if (asksForSummary(last)) return "side";
  if (agentId !== undefined) return "subagent";
  const bare = wire.tools === undefined || wire.tools.length === 0;
  return bare || wire.max_tokens === 1 ? "side" : "main";
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content
    .map(({ type, text, content }) => {
      if (type === "text") return text ?? "";
      return type === "tool_result" ? textOf(content ?? "") : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function resultsOf(content: Content): ToolResult[] {
  if (typeof content === "string") return [];
  return content
    .filter(({ type }) => type === "tool_result")
    .map((result) => ({
      toolUseId: result.tool_use_id ?? "",
      text: textOf(result.content ?? ""),
      isError: result.is_error ?? false,
    }));
}

/** Claude Code puts JSON with its session id into the user id; other clients put what they like. */
function sessionOf(userId: string | undefined): string | undefined {
  return userId?.match(/"session_id":"([^"]+)"/)?.[1];
}
