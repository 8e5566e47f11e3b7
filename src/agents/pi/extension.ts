import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Baton inside pi, loaded by pi itself: a file of its own that needs nothing of the rest. What it asks goes out as a question for
 * the user, which only Baton can answer: it reads pi's output and writes its input.
 */

/** What it needs of pi's interface for extensions. */
interface Pi {
  on(event: string, handler: (event: never, ctx: Context) => unknown): void;
  registerCommand(
    name: string,
    command: { description: string; handler: (args: string, ctx: Context) => Promise<void> },
  ): void;
  registerTool(tool: object): void;
  getAllTools(): { name: string }[];
  getActiveTools(): string[];
  setActiveTools(names: string[]): void;
  sendUserMessage(text: string, options: { deliverAs?: "steer"; expandPromptTemplates: boolean }): void;
}

interface Context {
  cwd: string;
  ui: {
    input(title: string, text: string, options?: { signal?: AbortSignal }): Promise<string | undefined>;
  };
  isIdle(): boolean;
  abort(): void;
}

/** A question to Baton, and what it answers. */
export interface Questions {
  begin: { asked: object; answer: Beginning };
  boundary: { asked: object; answer: { stop: boolean } };
  compact: { asked: object; answer: { may: boolean } };
  call: { asked: { name: string; input: unknown }; answer: { ok: boolean; text: string } };
}

export interface Beginning {
  tools: { name: string; description: string; parameters: object }[];
  /** Tools of pi's and of its extensions. */
  allowed: string[];
  denied: string[];
  /** Once this file is there, no tool call may begin. */
  forbidding: string;
}

/** What Baton sends as a message: the words, and whether commands in them count. */
export interface Sent {
  text: string;
  expand: boolean;
}

export const TITLE = "Baton asks";
export const SEND = "baton:send";

/** In the details of a result, which no model reads. */
export interface WriteDetails {
  created?: boolean;
}

const TOO_LATE = { block: true, reason: "Baton ends this session: the call was not made." };

export default function baton(pi: Pi): void {
  let begun: Promise<Beginning> | undefined;
  let forbidding: string | undefined;
  let denied: string[] = [];
  const created = new Set<string>();

  async function begin(ctx: Context): Promise<Beginning> {
    const beginning = await ask(ctx, "begin", {});
    ({ forbidding, denied } = beginning);
    for (const { name, description, parameters } of beginning.tools) {
      pi.registerTool({
        name,
        label: name,
        description,
        parameters,
        execute: async (
          _id: string,
          input: unknown,
          signal: AbortSignal | undefined,
          _: unknown,
          at: Context,
        ) => {
          const { ok, text } = await ask(at, "call", { name, input }, signal);
          // Not every API has a mark for a failed call.
          if (!ok) throw new Error(`Error: ${text}`);
          return { content: [{ type: "text", text }], details: undefined };
        },
      });
    }
    const known = pi.getAllTools().map(({ name }) => name);
    const unknown = [...beginning.allowed, ...denied].filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new Error(`pi has no tool named ${unknown.join(" or ")}: see allowed_tools and denied_tools.`);
    if (denied.length > 0) pi.setActiveTools(pi.getActiveTools().filter((name) => !denied.includes(name)));
    return beginning;
  }

  // Not awaited: pi reads no answer before it has started.
  pi.on("session_start", (_event: never, ctx) => {
    begun = begin(ctx);
    begun.catch(() => {});
  });

  pi.registerCommand(SEND, {
    description: "A message of Baton's",
    async handler(args, ctx) {
      await begun;
      const { text, expand } = JSON.parse(args) as Sent;
      const queued = ctx.isIdle() ? {} : { deliverAs: "steer" as const };
      pi.sendUserMessage(text, { ...queued, expandPromptTemplates: expand });
    },
  });

  pi.on("turn_end", async ({ toolResults }: { toolResults: unknown[] }, ctx) => {
    if (toolResults.length === 0) return;
    const { stop } = await ask(ctx, "boundary", {});
    if (stop) ctx.abort();
  });

  pi.on("session_before_compact", async ({ reason }: { reason: string }, ctx) => {
    if (reason === "manual") return undefined;
    const { may } = await ask(ctx, "compact", {});
    return may ? undefined : { cancel: true };
  });

  pi.on("tool_call", ({ toolName, toolCallId, input }: ToolCall, { cwd }) => {
    if (forbidding !== undefined && existsSync(forbidding)) return TOO_LATE;
    if (denied.includes(toolName)) return { block: true, reason: `The user does not allow ${toolName}.` };
    if (toolName === "write" && !existsSync(resolve(cwd, String(input.path)))) created.add(toolCallId);
    return undefined;
  });

  pi.on("tool_result", ({ toolCallId, isError, details }: ToolResult) => {
    if (!created.delete(toolCallId) || isError) return undefined;
    const told: WriteDetails = { created: true };
    return { details: { ...details, ...told } };
  });
}

interface ToolCall {
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
}

interface ToolResult {
  toolCallId: string;
  isError: boolean;
  details: object | undefined;
}

async function ask<K extends keyof Questions>(
  { ui }: Context,
  kind: K,
  asked: Questions[K]["asked"],
  signal?: AbortSignal,
): Promise<Questions[K]["answer"]> {
  const said = await ui.input(TITLE, JSON.stringify({ kind, ...asked }), signal ? { signal } : {});
  if (said === undefined) throw new Error("Baton did not answer.");
  return JSON.parse(said);
}
