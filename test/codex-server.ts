import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { CODEX } from "./needs.ts";

type Json = Record<string, unknown>;

/** What the program says without being asked. `id` is set where it waits for an answer. */
export interface Told {
  id?: number;
  method: string;
  params: Json;
}

/** `codex app-server`, spoken to in JSON lines. Its owner disposes of it. */
export class CodexServer implements AsyncDisposable {
  readonly told: Told[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers = new Map<number, PromiseWithResolvers<Json>>();
  readonly #waiting = new Set<() => void>();
  readonly #exited: Promise<void>;
  #lastId = 0;

  constructor(cwd: string, env: Record<string, string>) {
    const flags = ["app-server", "--disable", "plugins", "--disable", "apps"];
    this.#child = spawn(CODEX, flags, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    this.#exited = new Promise((resolve) => this.#child.once("exit", () => resolve()));
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#read(JSON.parse(line)));
  }

  ask(method: string, params: Json): Promise<Json> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Json>();
    this.#answers.set(id, answer);
    this.#write({ id, method, params });
    return answer.promise;
  }

  answer(id: number, result: Json): void {
    this.#write({ id, result });
  }

  /** A thread that asks nobody and may do everything. Its id. */
  async thread(cwd: string, more: Json = {}): Promise<string> {
    const { thread } = await this.#open("thread/start", { cwd, ...more });
    return String((thread as Json).id);
  }

  /** The same thread after the program that ran it has ended. */
  async resume(threadId: string): Promise<void> {
    await this.#open("thread/resume", { threadId, excludeTurns: true });
  }

  async #open(method: string, more: Json): Promise<Json> {
    const clientInfo = { name: "baton", title: "Baton", version: "0" };
    await this.ask("initialize", { clientInfo, capabilities: { experimentalApi: true } });
    this.#write({ method: "initialized" });
    const free = { approvalPolicy: "never", sandbox: "danger-full-access" };
    return this.ask(method, { ...free, ...more });
  }

  /** The end of a turn that begins with these words. */
  async turn(threadId: string, text: string): Promise<Json> {
    const earlier = this.told.length;
    await this.begin(threadId, text);
    return this.end(earlier);
  }

  async begin(threadId: string, text: string): Promise<string> {
    const { turn } = await this.ask("turn/start", {
      threadId,
      input: [{ type: "text", text, text_elements: [] }],
    });
    return String((turn as Json).id);
  }

  async end(earlier = 0): Promise<Json> {
    const { params } = await this.until((one) => one.method === "turn/completed", earlier);
    return params.turn as Json;
  }

  async until(matches: (one: Told) => boolean, earlier = 0): Promise<Told> {
    for (;;) {
      const found = this.told.slice(earlier).find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The program itself: what npm installs only starts it. */
  async kill(program: number): Promise<void> {
    process.kill(program, "SIGKILL");
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.#exited;
  }

  #write(message: Json): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(message: Partial<Told> & { result?: Json; error?: { message: string } }): void {
    const { id, method, params = {}, result, error } = message;
    if (method !== undefined) {
      this.told.push({ ...(id !== undefined && { id }), method, params });
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    } else if (id !== undefined) {
      if (error) this.#answers.get(id)?.reject(new Error(error.message));
      else this.#answers.get(id)?.resolve(result ?? {});
    }
  }
}
