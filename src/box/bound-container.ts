import { type ChildProcess, spawn } from "node:child_process";
import { type Run, run } from "../processes/run.ts";
import { type ContainerPlan, runArguments } from "./container.ts";
import { BoxError } from "./error.ts";

/** An image may have to be unpacked first. */
const START_LIMIT_MS = 120_000;
const END_GRACE_MS = 5_000;
const LAST_WORDS = 2_000;

interface Surroundings {
  outside: Record<string, string>;
  signal: AbortSignal;
}

/**
 * A container that lives as long as this process holds its standard input: whatever ends the process, the container and
 * all that runs in it ends, too.
 */
export class BoundContainer {
  readonly engine: ContainerPlan["engine"];
  readonly name: string;
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #outside: Record<string, string>;
  readonly #gone: Promise<void>;

  static async start(plan: ContainerPlan, { outside, signal }: Surroundings): Promise<BoundContainer> {
    const child = spawn(plan.engine, runArguments(plan), {
      cwd: plan.folder,
      env: outside,
      stdio: ["pipe", "pipe", "pipe"],
      // Ctrl-C in the terminal reaches Baton alone, which then ends it in order.
      detached: true,
    });
    let said = "";
    const ready = Promise.withResolvers<void>();
    const hear = (data: Buffer) => {
      said = (said + data.toString("utf8")).slice(-LAST_WORDS);
      if (/^ready\r?$/m.test(said)) ready.resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.stdin.on("error", () => {});
    const fail = (why: string) => ready.reject(startFailure(plan, why));
    child.once("error", ({ message }) => fail(message));
    child.once("exit", () => fail(said.trim()));
    const late = setTimeout(() => fail(`it was not there after ${START_LIMIT_MS / 1_000} s`), START_LIMIT_MS);
    const abort = () => ready.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const container = new BoundContainer(plan, child, outside);
    try {
      await ready.promise;
      return container;
    } catch (error) {
      await container.close();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", abort);
    }
  }

  private constructor(
    { engine, name, folder }: ContainerPlan,
    child: ChildProcess,
    outside: Record<string, string>,
  ) {
    this.engine = engine;
    this.name = name;
    this.folder = folder;
    this.#child = child;
    this.#outside = outside;
    this.#gone = new Promise((resolve) => {
      child.once("close", () => resolve());
      child.once("error", () => resolve());
    });
  }

  /** What runs inside may end all that runs inside. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Runs a command inside to its end. */
  run(command: readonly string[]): Promise<Run> {
    return this.#ask(["exec", this.name, ...command]);
  }

  /** Starts what runs inside until the container ends. */
  async keep(command: readonly string[]): Promise<void> {
    const { ok, said } = await this.#ask(["exec", "--detach", this.name, ...command]);
    if (!ok)
      throw new BoxError(
        `${command[0]} could not be started in the container: ${said}`,
        "See whether the image has it.",
        "image",
      );
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), END_GRACE_MS);
    const how = await Promise.race([this.#gone, late.promise]);
    clearTimeout(timer);
    if (how !== "late") return;
    await this.#ask(["rm", "--force", this.name]);
    this.#child.kill("SIGKILL");
  }

  #ask(args: readonly string[]): Promise<Run> {
    return run(this.engine, args, { cwd: this.folder, env: this.#outside });
  }
}

/** What the engine says of it, told apart where somebody can do something about it. */
function startFailure({ engine, image, ports }: ContainerPlan, said: string): BoxError {
  const words = said === "" ? "it said nothing" : said;
  if (/no such image|unable to find image|image not known|pull access denied|manifest unknown/i.test(words)) {
    return new BoxError(
      `The image ${image} is not there: ${words}`,
      `Build it (docs/containers.md has a Dockerfile) or pull it: ${engine} pull ${image}`,
      "image",
    );
  }
  if (ports.length > 0 && /address already in use|port is already allocated/i.test(words)) {
    return new BoxError(`A port is taken: ${words}`, "Give another one in docker.ports.", "ports");
  }
  return new BoxError(
    `${engine} could not start the container: ${words}`,
    "`baton doctor` tries the engine step by step.",
    "enabled",
  );
}
