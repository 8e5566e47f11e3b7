import { z } from "zod";
import type { WireRequest } from "../request.ts";
import { type OfferedTool, offeredTool, offeredTools, scriptNames } from "./tools.ts";

const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
]);
const call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.string(),
  content: content.nullish(),
  tool_calls: z.array(call).nullish(),
  tool_call_id: z.string().optional(),
});

const chatRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(offeredTool).optional(),
  messages: z.array(message),
});

type Message = z.infer<typeof message>;

type Parsed =
  | { ok: true; wire: WireRequest; offered: OfferedTool[]; streamsUsage: boolean }
  | { ok: false; message: string; param: string | null };

/** The body of POST /v1/chat/completions as the same conversation in the form that scripts read. */
export function parseChat(body: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, message: "We could not parse the JSON body of your request.", param: null };
  }
  const parsed = chatRequest.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, message: `Invalid value: ${issue?.message}`, param: issue?.path.join(".") ?? null };
  }
  const { model, stream, stream_options, tools = [], messages } = parsed.data;
  const unpaired = unpairedCall(messages);
  if (unpaired !== undefined) return { ok: false, message: unpaired, param: "messages" };
  const offered = offeredTools(tools);
  const wire = {
    model,
    ...(stream && { stream }),
    tools: scriptNames(offered).map((name) => ({ name })),
    messages: messagesOf(messages),
  };
  return { ok: true, wire, offered, streamsUsage: stream_options?.include_usage === true };
}

/** The service takes no result without its call, and nothing between calls and their results. */
function unpairedCall(messages: readonly Message[]): string | undefined {
  let open = new Set<string>();
  const missing = () =>
    open.size === 0
      ? undefined
      : "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
  for (const { role, tool_calls, tool_call_id: id = "" } of messages) {
    if (role === "tool") {
      if (!open.delete(id)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      }
      continue;
    }
    const problem = missing();
    if (problem !== undefined) return problem;
    open = new Set((tool_calls ?? []).map((one) => one.id));
  }
  return missing();
}

type WireBlock = Exclude<WireRequest["messages"][number]["content"], string>[number];

function messagesOf(given: readonly Message[]): WireRequest["messages"] {
  const messages: { role: string; content: WireBlock[] }[] = [];
  for (const one of given) {
    const role = roleOf(one.role);
    const blocks = blocksOf(one);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  return messages;
}

function roleOf(role: string): string {
  if (role === "tool") return "user";
  return role === "developer" ? "system" : role;
}

function blocksOf({ role, content, tool_calls, tool_call_id }: Message): WireBlock[] {
  const text = textOf(content);
  if (role === "tool") {
    return [
      { type: "tool_result", tool_use_id: tool_call_id ?? "", content: text, is_error: saysError(text) },
    ];
  }
  const said: WireBlock[] = text === "" ? [] : [{ type: "text", text }];
  const calls = (tool_calls ?? []).map((one) => ({
    type: "tool_use",
    id: one.id,
    name: one.function.name,
    input: one.function.arguments,
  }));
  return [...said, ...calls];
}

/** The wire has no mark for a call that failed: programs say it in words. */
function saysError(text: string): boolean {
  return /^(?:Error:|No result provided$|Tool execution aborted)|^Command (?:exited with code [1-9]|aborted|timed out)/m.test(
    text,
  );
}

function textOf(given: z.infer<typeof content> | null | undefined): string {
  if (typeof given === "string") return given;
  return (given ?? []).map(({ text = "" }) => text).join("\n");
}
