import { randomUUID } from "node:crypto";
import type {
  HookInput,
  PermissionRequestHookInput,
  SDKMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { messageOf } from "../../../util/errors.ts";
import { isFields } from "../../../util/json.ts";
import type { SessionSpec } from "../../agent.ts";
import { Loopback } from "../../process/loopback.ts";
import { Lines, messageIn, Queue } from "../../process/output.ts";
import { foundPlaceOf } from "../../process/own-program.ts";
import { OwnToolCalls } from "../../process/own-tool-calls.ts";
import { ownToolsServer } from "../../process/own-tools-server.ts";
import { StartedProgram } from "../../started-program.ts";
import {
  type Asked,
  type Connection,
  type CostTold,
  UnfitProgramError,
  type WindowTold,
} from "../connection.ts";
import { programEnvironment } from "../environment.ts";
import { PrivateFiles } from "../private-files.ts";
import { NAME, thatIsThere } from "../program.ts";
import { SYNTHETIC } from "../transcript/line.ts";
import { CallIds } from "./call-ids.ts";
import { commandLine, pastProxy } from "./flags.ts";
import { CLAUDE } from "./program.ts";
import { Results } from "./results.ts";

/** How long a version that knows a question may take to answer it. */
const ANSWER_LIMIT_MS = 10_000;

const HOOKS_PATH = "/hooks";
const OWN_TOOLS_PATH = "/own-tools";

type Told = SDKMessage | ControlResponse | { type: "control_request" };

interface ControlResponse {
  type: "control_response";
  response: { request_id: string; subtype: "success" | "error"; response?: unknown; error?: string };
}

/**
 * The user's own `claude`, without the SDK: its documented options, messages as lines of JSON, and hooks and tools that ask
 * Baton. What else it can be asked differs by version, and is tried.
 */
export class CliConnection implements Connection {
  readonly started: Promise<void>;
  readonly #spec: SessionSpec;
  readonly #asked: Asked;
  readonly #tools: OwnToolCalls;
  readonly #queue = new Queue<SDKMessage>();
  readonly #answers = new Map<string, PromiseWithResolvers<unknown>>();
  readonly #calls = new CallIds();
  readonly #results = new Results();
  readonly #heard = { any: false, batch: false, result: false };
  #program: StartedProgram | undefined;
  #isInterrupted = false;
  /** Aborted once nobody need be asked any more about what the turn wants to do. */
  #questions = new AbortController();
  #closed = false;

  constructor(spec: SessionSpec, asked: Asked) {
    this.#spec = spec;
    this.#asked = asked;
    this.#tools = new OwnToolCalls(spec.ownTools);
    this.started = this.#start().catch((error: unknown) => this.#queue.end(new Error(messageOf(error))));
  }

  get program(): StartedProgram | undefined {
    return this.#program;
  }

  get messages(): AsyncIterable<SDKMessage> {
    return this.#queue;
  }

  send(message: SDKUserMessage): void {
    this.#isInterrupted = false;
    if (this.#questions.signal.aborted) this.#questions = new AbortController();
    void this.started.then(() => this.#write(message));
    // It asks for them before its first words: by then they are loaded.
    this.#tools.offered().catch(() => {});
  }

  endInput(): void {
    void this.started.then(() => this.#program?.child.stdin.end());
  }

  /** A version that cannot be interrupted is ended, which ends its turn, too. */
  async interrupt(): Promise<void> {
    this.#isInterrupted = true;
    try {
      await this.#ask({ subtype: "interrupt" });
    } catch {
      this.#program?.child.kill("SIGINT");
    }
    // When the program leaves the connection on which it asked is its own matter.
    this.#questions.abort();
  }

  window(): Promise<WindowTold> {
    return this.#ask<WindowTold>({ subtype: "get_context_usage", detail: "summary" });
  }

  letCompact(): Promise<unknown> {
    return this.#ask({ subtype: "apply_flag_settings", settings: { autoCompactEnabled: true } });
  }

  cost(): Promise<CostTold> {
    return this.#ask<CostTold>({ subtype: "get_usage", skip_behaviors: true });
  }

  close(): void {
    this.#closed = true;
    this.#queue.end();
  }

  async #start(): Promise<void> {
    const spec = this.#spec;
    const found = foundPlaceOf(CLAUDE, spec.env, spec.executable);
    const command = spec.box ? thatIsThere(found) : found;
    const loopback = await Loopback.open({
      [HOOKS_PATH]: async (input, signal) => unlessEmpty(await this.#hook(input as HookInput, signal)),
      [OWN_TOOLS_PATH]: ownToolsServer(this.#tools),
    });
    const { url, headers } = loopback;
    const address = { hooks: url + HOOKS_PATH, ownTools: url + OWN_TOOLS_PATH, headers };
    const files = new PrivateFiles(spec.env, spec.box?.folder);
    const ended = () => {
      files.remove();
      loopback.close();
      for (const { reject } of this.#answers.values()) reject(new Error(`${NAME} has ended.`));
      this.#answers.clear();
    };
    await spec.box?.reach(loopback.port);
    if (this.#closed) return ended();
    const program = new StartedProgram(
      command,
      commandLine(spec, address, (text) => files.put(text)),
      {
        cwd: spec.cwd,
        env: { ...programEnvironment(spec), ...pastProxy(spec.env) },
        trace: spec.trace,
        launch: spec.box?.launch,
        ended,
      },
    );
    this.#program = program;
    const lines = new Lines((line) => this.#take(line));
    const { child } = program;
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text));
    child.once("error", (error) => this.#queue.end(error));
    void program.silent.then(() => this.#queue.end());
  }

  #take(line: string): void {
    const told = messageIn<Told>(line);
    if (!told || told.type === "control_request") return;
    if (told.type === "control_response") {
      const { request_id: id, subtype, response, error } = told.response;
      const waiting = this.#answers.get(id);
      this.#answers.delete(id);
      if (subtype === "success") waiting?.resolve(response);
      else waiting?.reject(new Error(error));
      return;
    }
    const unfit = this.#unfitness(told);
    if (unfit === undefined) this.#queue.push(told);
    else {
      this.#queue.end(new UnfitProgramError(unfit));
      this.#program?.child.kill("SIGTERM");
    }
  }

  /** What a version is tried for by its first work: whether it asks at all, and whether it asks after its tools. */
  #unfitness(told: SDKMessage): string | undefined {
    if (told.type === "user" && told.parent_tool_use_id === null) {
      for (const id of this.#results.heard(told)) {
        // It does not ask after a call that was cut off.
        if (!this.#isInterrupted) this.#heard.result = true;
        this.#calls.ended(id);
      }
    }
    if (told.type !== "assistant" || told.parent_tool_use_id !== null || told.message.model === SYNTHETIC)
      return undefined;
    const fits = this.#heard.any && (this.#heard.batch || !this.#heard.result);
    if (fits) return undefined;
    return `${NAME} at ${this.#program?.child.spawnfile} does not run the hooks that Baton gives it, so it could not be stopped where its work is safe. Update it with \`claude update\`, and see whether its settings forbid hooks (disableAllHooks, allowedHttpHookUrls).`;
  }

  async #hook(input: HookInput, signal: AbortSignal): Promise<unknown> {
    this.#heard.any = true;
    switch (input.hook_event_name) {
      case "PreToolUse":
        this.#calls.called(input);
        return this.#asked.hook(input, input.tool_use_id);
      case "PermissionRequest":
        return this.#permission(input, signal);
      case "PostToolBatch":
        if (input.agent_id === undefined) {
          this.#heard.batch = true;
          await this.#results.all(input.tool_calls.map(({ tool_use_id: id }) => id));
        }
        return this.#asked.hook(input, undefined);
      default:
        return this.#asked.hook(input, undefined);
    }
  }

  async #permission(input: PermissionRequestHookInput, signal: AbortSignal): Promise<unknown> {
    const call = this.#calls.of(input);
    const { permit } = this.#asked;
    if (!permit) return this.#asked.hook(input, call);
    const given = input.tool_input as Record<string, unknown>;
    const said = await permit(input.tool_name, given, {
      signal: AbortSignal.any([signal, this.#questions.signal]),
      toolUseID: call ?? randomUUID(),
      requestId: randomUUID(),
      suggestions: input.permission_suggestions ?? [],
    });
    if (said === null) return {};
    const decision =
      said.behavior === "allow"
        ? {
            behavior: said.behavior,
            ...(said.updatedInput && { updatedInput: said.updatedInput }),
            ...(said.updatedPermissions && { updatedPermissions: said.updatedPermissions }),
          }
        : { behavior: said.behavior, message: said.message };
    return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
  }

  async #ask<T>(request: Record<string, unknown>): Promise<T> {
    await this.started;
    if (!this.#program || this.#program.hasEnded) throw new Error(`${NAME} has ended.`);
    const id = randomUUID();
    const waiting = Promise.withResolvers<unknown>();
    this.#answers.set(id, waiting);
    const late = setTimeout(() => waiting.reject(new Error(`${NAME} did not answer.`)), ANSWER_LIMIT_MS);
    this.#write({ type: "control_request", request_id: id, request });
    try {
      return (await waiting.promise) as T;
    } finally {
      clearTimeout(late);
      this.#answers.delete(id);
    }
  }

  #write(line: object): void {
    const stdin = this.#program?.child.stdin;
    if (stdin?.writable) stdin.write(`${JSON.stringify(line)}\n`);
  }
}

/** An answer without words is one, too, and the program writes those that have some into its transcript, however empty. */
function unlessEmpty(answer: unknown): unknown {
  return isFields(answer) && Object.keys(answer).length === 0 ? undefined : answer;
}
