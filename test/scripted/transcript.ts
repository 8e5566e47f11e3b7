import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApiMessage, Block, ModelMessage } from "./api.ts";

/** What Claude Code says in place of the result of a tool call that its process did not live to see. */
const INTERRUPTED =
  "Tool call interrupted: the process ended before it was done, and its outcome is unknown. Check whether it took effect.";

/** Append-only, in Claude Code's format, so that one reader serves both programs. */
export class Transcript {
  readonly path: string;
  readonly #common: Record<string, unknown>;

  constructor(home: string, sessionId: string, cwd: string) {
    const projects = join(home, "projects");
    this.path = found(projects, sessionId) ?? join(projects, slug(cwd), `${sessionId}.jsonl`);
    this.#common = { sessionId, cwd, version: "scripted", isSidechain: false };
  }

  /** `isMeta`: nobody said it, the program did. */
  user(content: ApiMessage["content"], more: { isMeta?: true } = {}): void {
    this.#append({ type: "user", message: { role: "user", content }, ...more });
  }

  /** One line a block, each with the whole usage, as Claude Code writes them. */
  assistant(message: ModelMessage): void {
    for (const block of message.content) {
      this.#append({ type: "assistant", message: { ...message, content: [block] } });
    }
  }

  /** What the program tells the person, and no model. */
  informational(content: string): void {
    this.#append({ type: "system", subtype: "informational", content, level: "warning", isMeta: false });
  }

  /** The conversation so far. A tool call without a result gets one that says so. */
  messages(): ApiMessage[] {
    if (!existsSync(this.path)) return [];
    const messages: ApiMessage[] = [];
    let last: string | undefined;
    for (const { type, message } of entries(readFileSync(this.path, "utf8"))) {
      const known = messages.at(-1);
      if (type === "assistant" && known && message.id === last) blocksOf(known).push(...blocksOf(message));
      else messages.push({ role: message.role, content: message.content });
      last = type === "assistant" ? message.id : undefined;
    }
    return withResults(messages);
  }

  #append(entry: Record<string, unknown>): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const line = { ...this.#common, uuid: randomUUID(), timestamp: new Date().toISOString(), ...entry };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}

interface Entry {
  type: "user" | "assistant";
  message: ApiMessage & { id?: string };
}

/** The last line can be half written. */
function entries(text: string): Entry[] {
  return text.split("\n").flatMap((line): Entry[] => {
    try {
      const entry: Entry = JSON.parse(line);
      return entry.type === "user" || entry.type === "assistant" ? [entry] : [];
    } catch {
      return [];
    }
  });
}

function withResults(messages: ApiMessage[]): ApiMessage[] {
  return messages.flatMap((message, index): ApiMessage[] => {
    const next = messages[index + 1];
    const answered = new Set(next ? blocksOf(next).map((block) => block.tool_use_id) : []);
    const open = blocksOf(message).filter(({ type, id }) => type === "tool_use" && !answered.has(id));
    if (open.length === 0) return [message];
    const results = open.map(({ id }) => ({
      type: "tool_result",
      tool_use_id: id,
      is_error: true,
      content: INTERRUPTED,
    }));
    return [message, { role: "user", content: results }];
  });
}

function blocksOf({ content }: ApiMessage): Block[] {
  return typeof content === "string" ? [] : content;
}

function found(projects: string, sessionId: string): string | undefined {
  if (!existsSync(projects)) return undefined;
  return readdirSync(projects)
    .map((project) => join(projects, project, `${sessionId}.jsonl`))
    .find((path) => existsSync(path));
}

function slug(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}
