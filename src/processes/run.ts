import { execFile } from "node:child_process";
import { END_GRACE_MS } from "./ending.ts";

/** How a program's run ended. */
export interface Run {
  ok: boolean;
  /** Its exit code; null where it was killed, timed out, or is not installed. */
  code: number | null;
  stdout: string;
  /** What it said about a failure, or else what it printed. */
  said: string;
}

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Written to its standard input. */
  input?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const MOST_OUTPUT = 256 * 1024 * 1024;
/** Of what it said, for a message: the end says why. */
const MOST_SAID = 4_000;

/** Runs a program to its end, without a shell and without anybody to answer a question. Never throws. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { input = "", timeoutMs = TIMEOUT_MS, signal, ...rest } = options;
  if (signal?.aborted)
    return Promise.resolve({ ok: false, code: null, stdout: "", said: "it was called off" });
  return new Promise((resolve) => {
    let kill: NodeJS.Timeout | undefined;
    const child = execFile(program, args, { ...rest, maxBuffer: MOST_OUTPUT }, (error, stdout, stderr) => {
      for (const each of [timer, kill]) clearTimeout(each);
      signal?.removeEventListener("abort", end);
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      const said = ending((stderr || stdout).trim()) || (code === null ? (error?.message ?? "") : "");
      resolve({ ok: error === null, code, stdout, said });
    });
    /** It is over when it has ended, so that nobody meets a lock that it is about to remove. */
    const end = () => {
      child.kill("SIGTERM");
      kill ??= setTimeout(() => {
        child.kill("SIGKILL");
        // What it started may hold its output open.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, END_GRACE_MS);
    };
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    // It may end without reading it all.
    child.stdin?.on("error", () => {}).end(input);
  });
}

function ending(text: string): string {
  return text.length > MOST_SAID ? `…${text.slice(-MOST_SAID)}` : text;
}
