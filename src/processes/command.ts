import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { endGroup } from "./ending.ts";
import type { Command, Launch } from "./launch.ts";
import { endMarked, type Mark } from "./marks.ts";

export interface CommandOptions {
  /** As the user wrote it in the configuration. Data goes in by `input` or `env`, never into this text. */
  command: string;
  cwd: string;
  env: Record<string, string>;
  input?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Of each stream; the middle of what is longer is left out. */
  outputLimit?: number;
  /** What is started in place of it, so that it runs where it belongs. */
  launch?: Launch;
  /** Whether processes that it leaves in the background are ended with it. */
  leftovers?: "end" | "leave";
}

export interface CommandRun {
  ok: boolean;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** Why it did not even start, or was ended. */
  error?: string;
}

const OUTPUT_LIMIT = 64 * 1024;
/** How long output may come after the command has ended. */
const LATE_OUTPUT_MS = 200;

/** Runs a command of the user's in a process group of its own, and ends the whole group when it takes too long. */
export function runCommand(options: CommandOptions): Promise<CommandRun> {
  const { input, timeoutMs, signal, leftovers = "end" } = options;
  const started = performance.now();
  const mark: Mark = { name: "BATON_COMMAND", value: randomUUID() };
  return new Promise((resolve) => {
    const { command, args, cwd, env } = startedFor(options, mark);
    const child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
    const stdout = new Kept(options.outputLimit ?? OUTPUT_LIMIT);
    const stderr = new Kept(options.outputLimit ?? OUTPUT_LIMIT);
    child.stdout.on("data", (bytes: Buffer) => stdout.add(bytes));
    child.stderr.on("data", (bytes: Buffer) => stderr.add(bytes));
    // A command may end without reading all of it.
    child.stdin.on("error", () => {}).end(input ?? "");

    let timedOut = false;
    let why: string | undefined;
    let late: NodeJS.Timeout | undefined;
    let ending: Promise<void> | undefined;
    const end = (reason: string) => {
      why ??= reason;
      ending ??= endAllOf(child.pid, options.launch && mark);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end(`it took longer than ${timeoutMs} ms`);
    }, timeoutMs);
    const onAbort = () => end("the job is ending");
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();

    let isOver = false;
    const finish = async (exitCode: number | null, endedBy: NodeJS.Signals | null) => {
      if (isOver) return;
      isOver = true;
      for (const each of [timer, late]) clearTimeout(each);
      signal?.removeEventListener("abort", onAbort);
      if (leftovers === "end" || why !== undefined)
        await (ending ?? endAllOf(child.pid, options.launch && mark));
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({
        ok: exitCode === 0 && why === undefined,
        exitCode,
        signal: endedBy,
        timedOut,
        stdout: stdout.text(),
        stderr: stderr.text(),
        durationMs: Math.round(performance.now() - started),
        ...(why !== undefined && { error: why }),
      });
    };
    child.on("error", (error) => {
      why = error.message;
      finish(null, null);
    });
    // What it left in the background may hold its output open for ever.
    child.on("exit", (code, endedBy) => {
      late = setTimeout(() => finish(code, endedBy), LATE_OUTPUT_MS);
    });
    child.on("close", finish);
  });
}

function startedFor({ command, cwd, env, launch }: CommandOptions, { name, value }: Mark): Command {
  const plain = { command: "/bin/sh", args: ["-c", command], cwd, env };
  return launch ? launch({ ...plain, env: { ...env, [name]: value } }) : plain;
}

/** `mark`: of what runs elsewhere, and not in the group. */
async function endAllOf(group: number | undefined, mark: Mark | undefined): Promise<void> {
  if (group !== undefined) await endGroup(group);
  if (mark) await endMarked(mark);
}

const BREAKS = [" ", "\n", "\t"];

/** The beginning and the end of a stream, in bounded memory. */
class Kept {
  readonly #half: number;
  readonly #decoder = new StringDecoder("utf8");
  #head = "";
  #tail = "";
  #total = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  add(bytes: Buffer): void {
    let text = this.#decoder.write(bytes);
    this.#total += text.length;
    if (this.#head.length < this.#half) {
      const room = this.#half - this.#head.length;
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    this.#tail = (this.#tail + text).slice(-this.#half);
  }

  text(): string {
    if (this.#total === this.#head.length + this.#tail.length) return this.#head + this.#tail;
    // Of a word that was cut nobody could tell whether it was a secret.
    const head = this.#head.slice(0, Math.max(...BREAKS.map((each) => this.#head.lastIndexOf(each))) + 1);
    const tail = this.#tail.slice(this.#tail.search(/\s/));
    const left = this.#total - head.length - tail.length;
    return `${head}\n… ${left} characters left out …\n${tail}`;
  }
}
