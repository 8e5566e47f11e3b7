import { setImmediate as afterImmediate } from "node:timers/promises";
import type {
  CanUseTool,
  HookInput,
  HookJSONOutput,
  PermissionUpdate,
  PreToolUseHookInput,
} from "@anthropic-ai/claude-agent-sdk";
import type { Trace } from "../../processes/trace.ts";
import { messageOf } from "../../util/errors.ts";
import { given } from "../../util/given.ts";
import type { AgentSession, Message, SessionSpec } from "../agent.ts";
import type { AgentEvent, ContextUsage } from "../events.ts";
import type { Permit } from "../permission.ts";
import { endProgram, exitOf } from "../process/program-end.ts";
import { Boundary, STOP_HERE } from "./boundary.ts";
import { type Connect, type Connection, UnfitProgramError } from "./connection.ts";
import { Denials } from "./denials.ts";
import { ClaudeMessages } from "./messages.ts";
import { answered, questionsIn } from "./questions.ts";
import { toolAction, toolStart } from "./tools.ts";
import { ruleText } from "./vocabulary.ts";

/** How long a boundary waits for a reader that has not heard yet what led to it. */
const HEARING_GRACE_MS = 10_000;

/** The answer to a tool call that would begin after the session was told to end. */
const TOO_LATE: HookJSONOutput = {
  continue: false,
  stopReason: "Baton ends this session.",
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: "Baton ends this session: the call was not made.",
  },
};

/** The answer to settings of the repository that change while the session lives. */
const NEXT_SESSION: HookJSONOutput = {
  decision: "block",
  reason: "Baton reads the repository's settings when a session starts, and only those that the user trusts.",
};

export class ClaudeSession implements AgentSession {
  readonly id: string;
  readonly events: AsyncIterable<AgentEvent>;
  readonly #trace: Trace | undefined;
  readonly #denials = new Denials();
  readonly #messages: ClaudeMessages;
  readonly #connection: Connection;
  readonly #boundary = new Boundary();
  readonly #cwd: string;
  /** Of the turn that is running. */
  #turn: PromiseWithResolvers<void> | undefined;
  #closed: Promise<void> | undefined;
  #closing = false;
  #stopping = false;

  constructor(spec: SessionSpec, connect: Connect) {
    this.id = spec.sessionId;
    this.#trace = spec.trace;
    this.#cwd = spec.cwd;
    this.#messages = new ClaudeMessages({ resumed: spec.resume, denials: this.#denials });
    this.#connection = connect(spec, {
      hook: (input, call) => this.#hook(input, call),
      ...(spec.permit && { permit: this.#asking(spec.permit) }),
    });
    this.events = this.#run();
  }

  send(message: Message): void {
    if (this.#closing) return;
    this.#stopping = false;
    this.#turn ??= Promise.withResolvers();
    this.#connection.send({
      type: "user",
      message: { role: "user", content: message.text },
      parent_tool_use_id: null,
      ...(message.verbatim && { client_composed: true as const }),
    });
  }

  stopAtBoundary(): void {
    this.#stopping = true;
  }

  goOn(): void {
    this.#stopping = false;
  }

  async interrupt(): Promise<void> {
    await this.#connection.interrupt();
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    try {
      const usage = await this.#connection.window();
      return {
        tokens: usage.totalTokens,
        window: usage.rawMaxTokens,
        autoCompact: usage.isAutoCompactEnabled,
        ...(usage.autoCompactThreshold !== undefined && { autoCompactThreshold: usage.autoCompactThreshold }),
      };
    } catch {
      // The program has ended, or is too old to answer.
      return undefined;
    }
  }

  async letCompact(): Promise<boolean> {
    try {
      await this.#connection.letCompact();
      return true;
    } catch {
      // The program has ended, or is too old to be told.
      return false;
    }
  }

  async costSoFar(): Promise<number | undefined> {
    try {
      const usage = await this.#connection.cost();
      if (!(await this.#boundary.caughtUp(HEARING_GRACE_MS))) return undefined;
      return this.#messages.costOfThisRun(usage.session.total_cost_usd, usage.session.model_usage);
    } catch {
      // The program has ended, or no longer answers this: the cost is then known at the end of the turn.
      return undefined;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    await this.#connection.started;
    const turn = this.#turn?.promise;
    await endProgram({
      session: this.id,
      trace: this.#trace,
      program: this.#connection.program,
      endTurn: turn && (() => this.#interrupted(turn)),
      endInput: () => this.#connection.endInput(),
      giveUp: () => this.#connection.close(),
    });
  }

  async #interrupted(turn: Promise<void>): Promise<void> {
    this.#connection.interrupt().catch(() => {});
    await turn;
  }

  /** A yes for good is one for this session alone: the user's settings are theirs to write. */
  #asking(permit: Permit): CanUseTool {
    return async (name, input, { signal, suggestions = [], toolUseID: id, decisionReason: why }) => {
      const rules = suggestions.flatMap((one) => (one.type === "addRules" ? one.rules : []));
      const [rule = { toolName: name }] = rules;
      const { about, does } = toolStart(id, name, input);
      const questions = questionsIn(name, input);
      const asked = questions ? { questions } : { rule: ruleText(rule), ...given({ why }) };
      const said = await permit({ id, name, about, input, does, ...asked }, signal);
      if (said.answer === "said")
        return { behavior: "allow", updatedInput: answered(input, questions, said) };
      if (said.answer === "no") {
        if (signal.aborted) {
          this.#denials.cutOff(id);
          return { behavior: "deny", message: "Nobody can be asked any more." };
        }
        const message = said.because ? `The user said no: ${said.because}` : "The user said no.";
        this.#denials.refused(id, message);
        return { behavior: "deny", message };
      }
      if (said.answer === "once") return { behavior: "allow", updatedInput: input };
      const always: PermissionUpdate = {
        type: "addRules",
        rules: [rule],
        behavior: "allow",
        destination: "session",
      };
      return { behavior: "allow", updatedInput: input, updatedPermissions: [always] };
    };
  }

  async #hook(input: HookInput, call: string | undefined): Promise<HookJSONOutput> {
    switch (input.hook_event_name) {
      case "PreToolUse":
        if (this.#closing) return TOO_LATE;
        this.#noteCommand(input);
        return {};
      case "PermissionRequest":
        if (call !== undefined)
          this.#denials.asked(call, input.tool_name, input.permission_suggestions ?? [], this.#cwd);
        return {};
      case "ConfigChange":
        return isOfRepository(input) ? NEXT_SESSION : {};
      case "PostToolBatch":
        if (input.agent_id !== undefined) return {};
        if (!this.#closing) await this.#boundary.endOfBatch(HEARING_GRACE_MS);
        return this.#stopping || this.#closing ? STOP_HERE : {};
      default:
        return {};
    }
  }

  /** Only here the program tells in which folder a command is started. */
  #noteCommand({ tool_use_id: id, tool_name, tool_input, cwd }: PreToolUseHookInput): void {
    const does = toolAction(tool_name, tool_input);
    if (does.kind === "command") this.#messages.commandCalled(id, { command: does.command, cwd });
  }

  async *#read(): AsyncGenerator<AgentEvent> {
    const messages = this.#connection.messages[Symbol.asyncIterator]();
    let next = messages.next();
    for (;;) {
      let read = await Promise.race([next, this.#boundary.asked]);
      // What was printed before the question may be on its way through the queue of the SDK.
      if (read === "asked") read = await Promise.race([next, afterImmediate("asked" as const)]);
      if (read === "asked") {
        if (this.#boundary.isEndOfBatch) yield* this.#messages.flush();
        this.#boundary.answer();
        continue;
      }
      if (read.done) return;
      next = messages.next();
      // The program may fail at its end, when nobody asks for more.
      next.catch(() => {});
      if (read.value.type === "assistant") this.#turn ??= Promise.withResolvers();
      // Before its reader hears of it, who may close the session then, or begin another turn.
      if (read.value.type === "result") this.#turnIsOver();
      yield* this.#messages.events(read.value);
    }
  }

  #turnIsOver(): void {
    this.#turn?.resolve();
    this.#turn = undefined;
  }

  async *#unfit(message: string): AsyncGenerator<AgentEvent> {
    const outcome = { kind: "failed", code: "unfit_program", message, retryable: false } as const;
    yield { type: "turn:end", outcome, costUsd: 0, windows: {} };
    yield { type: "idle" };
  }

  async *#run(): AsyncGenerator<AgentEvent> {
    let message: string | undefined;
    try {
      yield* this.#read();
    } catch (error) {
      message = messageOf(error);
      if (error instanceof UnfitProgramError) yield* this.#unfit(message);
    }
    this.#turnIsOver();
    yield exitOf(this.#connection.program, message);
  }
}

/** The program takes in settings while it runs, and these nobody has looked at: an agent may just have written them. */
function isOfRepository({ source }: Extract<HookInput, { hook_event_name: "ConfigChange" }>): boolean {
  return !["user_settings", "policy_settings"].includes(source);
}
