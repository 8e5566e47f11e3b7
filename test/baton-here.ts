import { join } from "node:path";
import { Readable } from "node:stream";
import { format } from "node:util";
import { adapters } from "../src/agents/registry.ts";
import { background } from "../src/app/background.ts";
import { asker } from "../src/app/trust/person.ts";
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
    program: background.program,
    insideAgent: asker.insideAgent,
    console: { log: console.log, error: console.error },
  };
  using _output = overheard(process.stdout, (text) => {
    said.stdout += text;
  });
  using _errors = overheard(process.stderr, (text) => {
    said.stderr += text;
  });
  try {
    process.chdir(folder);
    background.program = join(process.env.BATON_TEST_BUNDLE ?? "", "scripted.js");
    become(env);
    adapters.claude = async () => scripted;
    // Whoever runs the tests, in them a person types.
    asker.insideAgent = async () => (env.BATON_JOB_ID ? "it was started in a job" : undefined);
    Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });
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
    Object.assign(console, before.console);
    Object.defineProperty(process, "stdin", { value: before.stdin, configurable: true });
    adapters.claude = before.claude;
    background.program = before.program;
    asker.insideAgent = before.insideAgent;
    become(before.env);
    process.chdir(before.cwd);
    isBusy = false;
  }
}

/** Takes what is written to a stream, which is no terminal meanwhile, and leaves nothing at it afterwards. */
function overheard(stream: NodeJS.WriteStream, hear: (text: string) => void): Disposable {
  const { write, isTTY } = stream;
  const known = stream.listeners("error");
  stream.isTTY = false;
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    hear(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const written = rest.findLast((given) => typeof given === "function");
    if (typeof written === "function") process.nextTick(written);
    return true;
  }) as typeof write;
  return {
    [Symbol.dispose]() {
      Object.assign(stream, { write, isTTY });
      for (const listener of stream.listeners("error")) {
        if (!known.includes(listener)) stream.off("error", listener as (problem: Error) => void);
      }
    },
  };
}

/** Name by name, because the system reads some of them by itself, as where the user's home is. */
function become(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
