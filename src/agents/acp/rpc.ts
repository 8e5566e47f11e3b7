import { isFields } from "../../util/json.ts";
import { Lines } from "../process/output.ts";
import type { StartedProgram } from "../started-program.ts";

export type Fields = Record<string, unknown>;

/** What the program refuses to do, as it says it. */
export class RefusedError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class EndedError extends Error {}

export interface Asked {
  /** Something that the program tells, in the order in which it does. */
  told(method: string, params: Fields): void;
  /** Something that it wants an answer to. Undefined where that is not offered. */
  asked(method: string, params: Fields): Promise<unknown> | undefined;
}

const NO_SUCH_METHOD = -32601;
const INTERNAL_ERROR = -32603;

/** JSON-RPC in lines, over the input and the output of a program: all that the protocol needs of it. */
export class Rpc {
  readonly #program: StartedProgram;
  readonly #waiting = new Map<number, PromiseWithResolvers<Fields>>();
  #lastId = 0;

  constructor(program: StartedProgram, asked: Asked) {
    this.#program = program;
    const lines = new Lines((line) => this.#take(line, asked));
    const { stdin, stdout } = program.child;
    stdin.on("error", () => {});
    stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text));
    // What it printed before its end is heard first.
    void program.silent.then(() => this.#end());
  }

  /** Rejects with what the program refuses, or when it ends. */
  ask(method: string, params: Fields): Promise<Fields> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Fields>();
    if (this.#program.hasEnded) answer.reject(new EndedError("The program has ended."));
    else {
      this.#waiting.set(id, answer);
      this.#write({ id, method, params });
    }
    return answer.promise;
  }

  tell(method: string, params: Fields): void {
    this.#write({ method, params });
  }

  endInput(): void {
    this.#program.child.stdin.end();
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) reject(new EndedError("The program has ended."));
    this.#waiting.clear();
  }

  #take(line: string, { told, asked }: Asked): void {
    const message = fieldsOf(line);
    if (!message) return;
    const { id, method } = message;
    const params = isFields(message.params) ? message.params : {};
    if (typeof method !== "string") this.#answered(message);
    else if (id === undefined || id === null) told(method, params);
    else void this.#answer(id, asked(method, params), method);
  }

  async #answer(id: unknown, answer: Promise<unknown> | undefined, method: string): Promise<void> {
    if (!answer) {
      this.#write({ id, error: { code: NO_SUCH_METHOD, message: `Baton does not offer ${method}.` } });
      return;
    }
    try {
      this.#write({ id, result: await answer });
    } catch {
      this.#write({ id, error: { code: INTERNAL_ERROR, message: "Baton cannot answer this." } });
    }
  }

  #answered({ id, result, error }: Fields): void {
    if (typeof id !== "number") return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (isFields(error)) {
      const { code, message, data } = error;
      waiting?.reject(new RefusedError({ code: Number(code), message: String(message), data }));
    } else waiting?.resolve(isFields(result) ? result : {});
  }

  #write(message: Fields): void {
    const { stdin } = this.#program.child;
    if (stdin.writable) stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** What is no message is none of ours: a wrapper of the user's may print something. */
function fieldsOf(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
