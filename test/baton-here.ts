import { Readable } from "node:stream";
import { format } from "node:util";
import { adapters } from "../src/agents/registry.ts";
import { main } from "../src/cli/main.ts";
import { scripted } from "./scripted/agent.ts";

export interface Place {
  folder: string;
  env: Record<string, string>;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

let isBusy = false;

/** One command at a time: it has the folder, the environment and the streams of this process to itself. */
export function isFree(): boolean {
  return !isBusy;
}

/**
 * Runs a command line of Baton to its end in this process, with the scripted agent. What a process of its own costs, and
 * what it proves, is left to the tests that kill, signal and type.
 */
export async function batonHere({ folder, env }: Place, args: string[]): Promise<Ended> {
  isBusy = true;
  const said = { stdout: "", stderr: "" };
  const before = {
    cwd: process.cwd(),
    env: { ...process.env },
    stdin: process.stdin,
    claude: adapters.claude,
  };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  const { log, error } = console;
  const streams = [process.stdout, process.stderr].map((stream) => ({
    stream,
    known: stream.listeners("error"),
  }));
  const ttys = { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY };
  const hears = (stream: "stdout" | "stderr") =>
    ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const written = rest.findLast((given) => typeof given === "function");
      if (typeof written === "function") process.nextTick(written);
      return true;
    }) as typeof process.stdout.write;
  try {
    process.chdir(folder);
    become(env);
    adapters.claude = async () => scripted;
    Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });
    for (const stream of ["stdout", "stderr"] as const) {
      process[stream].write = hears(stream);
      process[stream].isTTY = false;
    }
    console.log = (...words) => {
      said.stdout += `${format(...words)}\n`;
    };
    console.error = (...words) => {
      said.stderr += `${format(...words)}\n`;
    };
    await main([process.execPath, "baton", ...args]);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    process.exitCode = undefined;
    for (const { stream, known } of streams) {
      for (const listener of stream.listeners("error")) {
        if (!known.includes(listener)) stream.off("error", listener as (problem: Error) => void);
      }
    }
    Object.assign(console, { log, error });
    for (const stream of ["stdout", "stderr"] as const) {
      process[stream].write = writes[stream];
      process[stream].isTTY = ttys[stream];
    }
    Object.defineProperty(process, "stdin", { value: before.stdin, configurable: true });
    adapters.claude = before.claude;
    become(before.env);
    process.chdir(before.cwd);
    isBusy = false;
  }
}

/** Name by name, because the system reads some of them by itself, as where the user's home is. */
function become(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
