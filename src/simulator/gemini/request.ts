import { z } from "zod";
import type { OfferedTool } from "../chat/tools.ts";
import type { WireRequest } from "../request.ts";
import { scriptNames } from "./tools.ts";

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z
    .looseObject({ name: z.string(), response: z.record(z.string(), z.unknown()).optional() })
    .optional(),
});
const content = z.looseObject({
  role: z.enum(["user", "model", "function"], "Please use a valid role: user, model.").optional(),
  parts: z.array(part).optional(),
});
const schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });
const declaration = z.looseObject({
  name: z.string(),
  parameters: schema.optional(),
  parametersJsonSchema: schema.optional(),
});

const generateRequest = z.looseObject({
  contents: z.array(content).min(1, "contents is not specified"),
  systemInstruction: content.optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).optional() })).optional(),
});

/** What is counted may be a whole request or its messages alone. */
const countRequest = z.union([z.looseObject({ generateContentRequest: generateRequest }), generateRequest]);

type Content = z.infer<typeof content>;
type Part = z.infer<typeof part>;

type Parsed = { ok: true; wire: WireRequest; offered: OfferedTool[] } | { ok: false; message: string };

/** The body of a request to a model as the same conversation in the form that scripts read. */
export function parseGemini(body: string, model: string): Parsed {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, message: "Invalid JSON payload received." };
  }
  const whole = countRequest.safeParse(json);
  const parsed = generateRequest.safeParse(
    whole.success && "generateContentRequest" in whole.data ? whole.data.generateContentRequest : json,
  );
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, message: `* GenerateContentRequest.${issue?.path.join(".")}: ${issue?.message}` };
  }
  const { contents, systemInstruction, tools = [] } = parsed.data;
  const unpaired = unpairedCall(contents);
  if (unpaired !== undefined) return { ok: false, message: unpaired };
  const offered = tools
    .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    .map(({ name, parameters, parametersJsonSchema }) => ({
      name,
      takes: Object.keys((parametersJsonSchema ?? parameters)?.properties ?? {}),
    }));
  const system = (systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("\n");
  const wire = {
    model,
    ...(system !== "" && { system }),
    tools: scriptNames(offered).map((name) => ({ name })),
    messages: messagesOf(contents),
  };
  return { ok: true, wire, offered };
}

/** The service takes calls only after a turn of the user, and answers to all of them, in number, right after. */
function unpairedCall(contents: readonly Content[]): string | undefined {
  let open = 0;
  let before: Content["role"] | "none" = "none";
  for (const { role = "user", parts = [] } of contents) {
    const answers = parts.filter((one) => one.functionResponse).length;
    const calls = parts.filter((one) => one.functionCall).length;
    if (answers > 0 && open === 0) {
      return "Please ensure that function response turn comes immediately after a function call turn.";
    }
    if (answers !== open) return UNEQUAL;
    if (calls > 0 && before !== "user" && before !== "function") {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    open = calls;
    before = role;
  }
  return open === 0 ? undefined : UNEQUAL;
}

const UNEQUAL =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

type WireBlock = Exclude<WireRequest["messages"][number]["content"], string>[number];

function messagesOf(contents: readonly Content[]): WireRequest["messages"] {
  const messages: { role: string; content: WireBlock[] }[] = [];
  /** Of the calls that are not answered yet. An answer belongs to the first of them: not all come with an id. */
  const open: string[] = [];
  contents.forEach(({ role: theirs, parts = [] }, turn) => {
    parts.forEach((one, at) => {
      if (one.functionCall) open.push(one.functionCall.id ?? `call_${turn}_${at}`);
      const block = blockOf(
        one,
        (one.functionCall ? open.at(-1) : one.functionResponse && open.shift()) ?? "",
      );
      const role = theirs === "model" ? "assistant" : isOfProgram(one) ? "system" : "user";
      const last = messages.at(-1);
      if (last?.role === role) last.content.push(block);
      else messages.push({ role, content: [block] });
    });
  });
  return messages;
}

/** What the program adds of its own is no part of the work. */
function isOfProgram({ text }: Part): boolean {
  return text?.trimStart().startsWith("<session_context>") ?? false;
}

function blockOf({ text = "", thought, functionCall, functionResponse }: Part, id: string): WireBlock {
  if (functionCall) return { type: "tool_use", id, name: functionCall.name, input: functionCall.args };
  if (functionResponse) {
    const { response = {} } = functionResponse;
    const told = response.output ?? response.error ?? response;
    const said = typeof told === "string" ? told : JSON.stringify(told);
    const isError = response.error !== undefined || /^Exit Code: [1-9]/m.test(said);
    return { type: "tool_result", tool_use_id: id, content: said, is_error: isError };
  }
  return thought ? { type: "thinking", thinking: text } : { type: "text", text };
}
