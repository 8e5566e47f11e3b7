import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { fromJson, isFields } from "../../../util/json.ts";
import { textField } from "../../call-input.ts";
import { Lines } from "../../process/output.ts";
import type { Fields } from "../rpc.ts";
import type { ProgramRecord, RecordedResponse } from "../told/program-record.ts";
import { fieldsIn, numberIn } from "../told/tools.ts";

/**
 * The file in which Gemini CLI keeps a session, one line for whatever happens. A response is there, with its tokens, before the
 * first of its tools begins; what a tool gave, before the model is asked again.
 */
export class ChatFile implements ProgramRecord {
  readonly #env: Record<string, string>;
  readonly #session: string;
  readonly #read = new Set<string>();
  readonly #lines = new Lines((line) => this.#take(line));
  readonly #decoder = new StringDecoder("utf8");
  #path: string | undefined;
  #offset = 0;
  #responses: RecordedResponse[] = [];
  #outputs = new Map<string, string>();

  constructor(env: Record<string, string>, programSession: string) {
    this.#env = env;
    this.#session = programSession;
  }

  responses(): readonly RecordedResponse[] | undefined {
    if (!this.#update()) return undefined;
    return this.#responses.splice(0);
  }

  outputs(): ReadonlyMap<string, string> {
    this.#update();
    return this.#outputs;
  }

  turnBegins(): void {
    this.#outputs = new Map();
  }

  /** False where there is no such file. */
  #update(): boolean {
    this.#path ??= findChat(this.#env, this.#session);
    if (this.#path === undefined) return false;
    try {
      this.#readFrom(this.#path);
      return true;
    } catch {
      return false;
    }
  }

  #readFrom(path: string): void {
    const file = openSync(path, "r");
    const piece = Buffer.alloc(64 * 1024);
    try {
      for (;;) {
        const bytes = readSync(file, piece, 0, piece.length, this.#offset);
        if (bytes === 0) return;
        this.#offset += bytes;
        this.#lines.push(this.#decoder.write(piece.subarray(0, bytes)));
      }
    } finally {
      closeSync(file);
    }
  }

  /** Every call is written with all earlier ones of its turn, again and again: those lines are not even parsed. */
  #take(line: string): void {
    if (line.startsWith('{"$set"') || line.includes('"toolCalls":[')) return;
    const message = fromJson(line);
    if (!isFields(message)) return;
    if (message.type === "user") this.#takeResults(message);
    const id = textField(message, "id");
    if (message.type !== "gemini" || !isFields(message.tokens) || id === undefined || this.#read.has(id))
      return;
    this.#read.add(id);
    this.#responses.push({ id, usage: usageIn(message.tokens) });
  }

  #takeResults({ content }: Fields): void {
    for (const part of Array.isArray(content) ? content : []) {
      const { id, response } = fieldsIn(fieldsIn(part).functionResponse);
      const output = textField(response, "output") ?? textField(response, "error");
      if (typeof id === "string" && output !== undefined) this.#outputs.set(id, output);
    }
  }
}

/** What is sent holds what was cached; what is thought costs like what is said. */
function usageIn(tokens: Fields): RecordedResponse["usage"] {
  const count = (key: string) => numberIn(tokens, key) ?? 0;
  return {
    input: Math.max(0, count("input") + count("tool") - count("cached")),
    output: count("output") + count("thoughts"),
    cacheRead: count("cached"),
    cacheWrite: 0,
  };
}

/** Each project has a folder there, by a name that only the program knows. A file's name ends with the beginning of the session's id. */
function findChat(env: Record<string, string>, session: string): string | undefined {
  const all = join(env.GEMINI_CLI_HOME ?? env.HOME ?? homedir(), ".gemini", "tmp");
  const ending = `-${session.slice(0, 8)}.jsonl`;
  for (const project of namesIn(all)) {
    const folder = join(all, project, "chats");
    const name = namesIn(folder).find((each) => each.startsWith("session-") && each.endsWith(ending));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
