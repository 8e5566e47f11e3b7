import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Launch } from "../processes/launch.ts";
import { leaveTrace, type Trace } from "../processes/trace.ts";

const STDERR_TAIL = 4_000;

/** The program as a process. In a session of its own: Ctrl-C in the terminal reaches Baton alone, which then ends it in order. */
export class StartedProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when its output has ended. */
  readonly silent: Promise<void>;
  #stderr = "";

  constructor(
    command: string,
    args: string[],
    {
      trace,
      launch = (given) => given,
      ended,
      cwd,
      env,
      signal,
    }: {
      cwd: string;
      env: Record<string, string>;
      signal?: AbortSignal;
      trace: Trace | undefined;
      /** Where it is not started on this machine as it is. */
      launch?: Launch | undefined;
      ended: () => void;
    },
  ) {
    const started = launch({ command, args, cwd, env });
    this.child = spawn(started.command, started.args, {
      cwd: started.cwd,
      env: started.env,
      ...(signal && { signal }),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.setEncoding("utf8").on("data", (data: string) => {
      this.#stderr = (this.#stderr + data).slice(-STDERR_TAIL);
    });
    this.child.once("exit", ended).once("error", ended);
    if (this.child.pid !== undefined && trace) leaveTrace(this.child.pid, trace);
    this.silent = new Promise((resolve) => this.child.once("close", () => resolve()));
  }

  /** The end of what it wrote to its standard error. */
  get said(): string {
    return this.#stderr.trim();
  }

  get hasEnded(): boolean {
    return hasEnded(this.child);
  }
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
