import { z } from "zod";
import type { WireRequest } from "../request.ts";
import { scriptNames } from "./tools.ts";

const text = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(text)]);
const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: content.nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
  output: content.optional(),
});
const tool = z.looseObject({ type: z.string(), name: z.string().optional() });

const responsesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  instructions: z.string().nullish(),
  tools: z.array(tool).optional(),
  input: z.union([z.string(), z.array(item)]),
});

type Item = z.infer<typeof item>;

type Parsed =
  | { ok: true; wire: WireRequest; offered: string[] }
  | { ok: false; message: string; param: string | null };

/** The body of POST /v1/responses as the same conversation in the form that scripts read. */
export function parseResponses(body: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, message: "We could not parse the JSON body of your request.", param: null };
  }
  const parsed = responsesRequest.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, message: `Invalid value: ${issue?.message}`, param: issue?.path.join(".") ?? null };
  }
  const { model, stream, instructions, tools = [], input } = parsed.data;
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const unpaired = unpairedCall(items);
  if (unpaired !== undefined) return { ok: false, message: unpaired, param: "input" };
  const offered = tools.flatMap(({ name }) => name ?? []);
  const names = scriptNames(offered);
  const wire = {
    model,
    ...(stream !== undefined && { stream }),
    ...(instructions && { system: instructions }),
    tools: names.map((name) => ({ name })),
    messages: messagesOf(items),
  };
  return { ok: true, wire, offered };
}

/** The service takes no output without its call, and no call without its output. */
function unpairedCall(items: readonly Item[]): string | undefined {
  const open = new Set<string>();
  for (const { type, call_id: id = "" } of items) {
    if (isCall(type)) open.add(id);
    else if (isOutput(type) && !open.delete(id)) {
      return `No tool call found for function call output with call_id ${id}.`;
    }
  }
  const [id] = open;
  return id === undefined ? undefined : `No tool output found for function call ${id}.`;
}

function messagesOf(items: readonly Item[]): WireRequest["messages"] {
  const messages: { role: string; content: WireBlock[] }[] = [];
  for (const one of items) {
    const role = roleOf(one);
    const last = messages.at(-1);
    const blocks = blocksOf(one);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  return messages;
}

type WireBlock = Exclude<WireRequest["messages"][number]["content"], string>[number];

/** What the program adds of its own is no part of the work. */
function roleOf({ type, role, content }: Item): string {
  if (isOutput(type)) return "user";
  if (type !== undefined && type !== "message") return "assistant";
  if (role === "developer" || role === "system") return "system";
  if (role === "user" && textOf(content).startsWith("<environment_context>")) return "system";
  return role ?? "user";
}

function blocksOf({ type, content, output, call_id, name, ...rest }: Item): WireBlock[] {
  if (isCall(type)) {
    return [{ type: "tool_use", id: call_id, name, input: rest.arguments ?? rest.input }];
  }
  if (isOutput(type)) {
    const said = textOf(output);
    const code = /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(said)?.[1];
    const isError = code !== undefined && code !== "0";
    return [{ type: "tool_result", tool_use_id: call_id ?? "", content: said, is_error: isError }];
  }
  if (type === "reasoning") return [{ type: "thinking", thinking: rest }];
  return [{ type: "text", text: textOf(content) }];
}

function isCall(type: string | undefined): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function isOutput(type: string | undefined): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

function textOf(given: z.infer<typeof content> | null | undefined): string {
  if (typeof given === "string") return given;
  return (given ?? []).map(({ text = "" }) => text).join("\n");
}
