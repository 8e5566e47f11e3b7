import { messageOf } from "../../util/errors.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { Lines, Queue } from "../process/output.ts";
import { StartedProgram } from "../started-program.ts";

export type Fields = Record<string, unknown>;

/** What the program says without being asked. */
export interface Told {
  method: string;
  params: Fields;
}

interface Options extends Omit<ConstructorParameters<typeof StartedProgram>[2], "ended"> {
  /** Answers what the program asks. What it throws is the program's answer, too. */
  asked(method: string, params: Fields): Promise<unknown>;
  /** Hears everything at once, before the reader of `told` comes to it. */
  overheard(told: Told): void;
  ended(): void;
}

/** The program said no, or has ended. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** `codex app-server`: JSON-RPC in lines, both ways. */
export class Connection {
  readonly program: StartedProgram;
  /** Ends with the program's output. */
  readonly told = new Queue<Told>();
  readonly #options: Options;
  readonly #answers = new Map<number, PromiseWithResolvers<Fields>>();
  #lastId = 0;

  constructor(command: string, args: string[], options: Options) {
    this.#options = options;
    const { asked, overheard, ended, ...start } = options;
    this.program = new StartedProgram(command, args, { ...start, ended: () => this.#ended() });
    const { child, silent } = this.program;
    const lines = new Lines((line) => this.#take(fromJson(line)));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text));
    child.once("error", (error) => this.told.end(error));
    void silent.then(() => this.told.end());
  }

  async ask(method: string, params: Fields): Promise<Fields> {
    const { hasEnded, child } = this.program;
    if (hasEnded || !child.stdin.writable) throw new RefusedError("Codex has ended.");
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Fields>();
    this.#answers.set(id, answer);
    this.#write({ id, method, params });
    return answer.promise;
  }

  tell(method: string): void {
    this.#write({ method });
  }

  endInput(): void {
    this.program.child.stdin.end();
  }

  #ended(): void {
    for (const { reject } of this.#answers.values()) reject(new RefusedError("Codex has ended."));
    this.#answers.clear();
    this.#options.ended();
  }

  #write(message: Fields): void {
    const { stdin } = this.program.child;
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** What is no message is none of ours: a wrapper of the user's may print something. */
  #take(message: unknown): void {
    if (!isFields(message)) return;
    const { id, method, result, error } = message;
    const params = isFields(message.params) ? message.params : {};
    if (typeof method === "string" && id !== undefined) void this.#answer(id, method, params);
    else if (typeof method === "string") {
      const told = { method, params };
      this.#options.overheard(told);
      this.told.push(told);
    } else if (typeof id === "number") {
      const waiting = this.#answers.get(id);
      this.#answers.delete(id);
      if (isFields(error)) waiting?.reject(new RefusedError(String(error.message)));
      else waiting?.resolve(isFields(result) ? result : {});
    }
  }

  async #answer(id: unknown, method: string, params: Fields): Promise<void> {
    try {
      this.#write({ id, result: await this.#options.asked(method, params) });
    } catch (error) {
      this.#write({ id, error: { code: -32_603, message: messageOf(error) } });
    }
  }
}
