import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { ToolResult } from "../tools.ts";
import type { ServerCommand } from "./plugin.ts";

interface Answer {
  id?: number;
  result?: { tools?: { name: string }[]; content?: { text?: string }[]; isError?: boolean };
  error?: { message: string };
}

/** A server of the Model Context Protocol on its standard streams, as far as tools go. */
export class ToolServer {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, (answer: Answer) => void>();
  #asked = 0;

  constructor({ command, args }: ServerCommand, env: Record<string, string | undefined>) {
    this.#child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin?.on("error", () => {});
    if (!this.#child.stdout) throw new Error("The server has no pipe.");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const answer: Answer = JSON.parse(line);
      if (answer.id !== undefined) this.#open.get(answer.id)?.(answer);
    });
  }

  async toolNames(): Promise<string[]> {
    await this.#ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "scripted", version: "1" },
    });
    this.#tell({ method: "notifications/initialized" });
    const { result } = await this.#ask("tools/list", {});
    return (result?.tools ?? []).map(({ name }) => name);
  }

  async call(name: string, input: object): Promise<ToolResult> {
    const { result, error } = await this.#ask("tools/call", { name, arguments: input });
    const text = error?.message ?? (result?.content ?? []).map((part) => part.text ?? "").join("\n");
    return { ok: error === undefined && result?.isError !== true, text };
  }

  end(): void {
    this.#child.kill();
  }

  #ask(method: string, params: object): Promise<Answer> {
    const id = ++this.#asked;
    const answered = new Promise<Answer>((resolve) => this.#open.set(id, resolve));
    this.#tell({ id, method, params });
    return answered;
  }

  #tell(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
