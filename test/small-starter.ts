import childProcess, { type ChildProcess, type ExecFileOptions, fork } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { Writable } from "node:stream";
import { promisify } from "node:util";

/**
 * Node forks to start a program, and the system copies the page tables of the whole process: 14 ms of processor time for
 * a git that needs 2. The processes of tests are large and start it twenty thousand times, so a small one does it for
 * them. It is the same git, with the same arguments, folder, environment and input.
 */

/** What is started often, and by whom only its end is waited for. */
const STARTED = new Set(["git", "tmux"]);

type Callback = (error: Error | null, stdout: string, stderr: string) => void;

interface Answer {
  id: number;
  problem: (Partial<NodeJS.ErrnoException> & { killed?: boolean; signal?: string }) | null;
  stdout: string;
  stderr: string;
}

const original = childProcess.execFile;
const originalPromise = promisify(original);
const waiting = new Map<number, Callback>();
let last = 0;
let starter: ChildProcess | undefined;

function started(): ChildProcess {
  if (starter?.connected) return starter;
  starter = fork(join(import.meta.dirname, "starter.js"), {
    execArgv: [],
    env: { PATH: process.env.PATH },
  });
  starter.on("message", ({ id, problem, stdout, stderr }: Answer) => {
    const error = problem && Object.assign(new Error(problem.message), problem);
    waiting.get(id)?.(error, stdout, stderr);
    waiting.delete(id);
  });
  starter.unref();
  starter.channel?.unref();
  return starter;
}

function start(file: string, args: readonly string[], options: ExecFileOptions, callback: Callback) {
  const { signal, ...rest } = options;
  const id = ++last;
  const program = started();
  const settle: Callback = (error, stdout, stderr) => {
    signal?.removeEventListener("abort", abort);
    callback(error, stdout, stderr);
  };
  const abort = () => {
    program.send({ id, kill: "SIGTERM" });
    waiting.delete(id);
    callback(Object.assign(new Error("The operation was aborted"), { code: "ABORT_ERR" }), "", "");
  };
  waiting.set(id, settle);
  let input: string | undefined;
  const stdin = new Writable({
    write(chunk, _encoding, done) {
      input = (input ?? "") + String(chunk);
      done();
    },
    final(done) {
      input ??= "";
      done();
    },
  });
  // The environment and the folder of now, not of when it is sent.
  const place = { cwd: options.cwd ?? process.cwd(), env: { ...(options.env ?? process.env) } };
  process.nextTick(() => {
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    program.send({ id, file, args, options: { ...rest, ...place }, input });
  });
  // After the start, which is sent then as well.
  const kill = (how: NodeJS.Signals) => process.nextTick(() => program.send({ id, kill: how }));
  return { stdin, kill };
}

function isPlain(file: string, options: ExecFileOptions & { encoding?: unknown }): boolean {
  return STARTED.has(file) && options.shell === undefined && options.encoding === undefined;
}

function execFile(file: string, ...rest: unknown[]): unknown {
  const callback = rest.findLast((each): each is Callback => typeof each === "function");
  const args = Array.isArray(rest[0]) ? rest[0] : [];
  const options = rest.find((each): each is ExecFileOptions => isObject(each)) ?? {};
  if (callback && isPlain(file, options)) return start(file, args, options, callback);
  return Reflect.apply(original, childProcess, [file, ...rest]);
}

function inPromise(file: string, args: readonly string[] = [], options: ExecFileOptions = {}) {
  if (!isPlain(file, options)) return originalPromise(file, args, options);
  return new Promise((resolve, reject) => {
    start(file, args, options, (error, stdout, stderr) => {
      if (error) reject(Object.assign(error, { stdout, stderr }));
      else resolve({ stdout, stderr });
    });
  });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const DONE = Symbol.for("baton.test.small-starter");
if (!(DONE in globalThis)) {
  Reflect.set(globalThis, DONE, true);
  Object.assign(childProcess, { execFile: Object.assign(execFile, { [promisify.custom]: inPromise }) });
  syncBuiltinESMExports();
}
