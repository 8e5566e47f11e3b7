import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate as afterImmediate } from "node:timers/promises";
import {
  type CanUseTool,
  type HookInput,
  type HookJSONOutput,
  type McpServerConfig,
  type Options,
  type PermissionMode,
  type PermissionUpdate,
  type PreToolUseHookInput,
  type Query,
  query,
} from "@anthropic-ai/claude-agent-sdk";
import { endMarked, sessionMark } from "../../processes/marks.ts";
import { endTraced, leaveTrace, type Trace } from "../../processes/trace.ts";
import { messageOf } from "../../util/errors.ts";
import type { AgentEvent, AgentSession, ContextUsage, Message, Permit, SessionSpec } from "../agent.ts";
import { Boundary } from "./boundary.ts";
import { Denials } from "./denials.ts";
import { CLIENT, WHOLE_WINDOW, WITHOUT_REPOSITORY } from "./environment.ts";
import { handedOver } from "./handed-over.ts";
import { Inbox } from "./inbox.ts";
import { ClaudeMessages } from "./messages.ts";
import { ownServer } from "./own-server.ts";
import { OWN_SERVER, ownToolName, toolAction, toolStart } from "./tools.ts";
import { ruleText } from "./vocabulary.ts";

/** How long the program may take to end its turn, and to end by itself once its input is closed, before it is asked to. */
const TURN_GRACE_MS = 2_000;
const QUIT_GRACE_MS = 500;
/** How long it may take to end in all, before it is killed. */
const EXIT_GRACE_MS = 5_000;
/** How long its output may stay open after its end: something that it started may hold it. */
const OUTPUT_GRACE_MS = 1_000;
/** How long a boundary waits for a reader that has not heard yet what led to it. */
const HEARING_GRACE_MS = 10_000;
const STDERR_TAIL = 4_000;

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
  readonly #query: Query;
  readonly #input = new Inbox();
  readonly #abort = new AbortController();
  readonly #boundary = new Boundary();
  #child: ChildProcess | undefined;
  /** Resolves when the output of the program has ended. */
  #silent: Promise<void> | undefined;
  /** Of the turn that is running. */
  #turn: PromiseWithResolvers<void> | undefined;
  #closed: Promise<void> | undefined;
  #closing = false;
  #stopping = false;
  #stderr = "";

  constructor(spec: SessionSpec) {
    this.id = spec.sessionId;
    this.#trace = spec.trace;
    this.#query = query({ prompt: this.#input, options: this.#options(spec) });
    this.#messages = new ClaudeMessages({ resumed: spec.resume, denials: this.#denials });
    this.events = this.#run();
  }

  send(message: Message): void {
    this.#stopping = false;
    this.#turn ??= Promise.withResolvers();
    this.#input.push({
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
    await this.#query.interrupt();
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    try {
      const usage = await this.#query.getContextUsage({ detail: "summary" });
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
      await this.#query.applyFlagSettings({ autoCompactEnabled: true });
      return true;
    } catch {
      // The program has ended, or is too old to be told.
      return false;
    }
  }

  async costSoFar(): Promise<number | undefined> {
    try {
      const usage = await this.#query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
        skipBehaviors: true,
      });
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
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await this.#quit(child);
    await Promise.all([endMarked(sessionMark(this.id)), this.#trace && endTraced(this.#trace)]);
    // The SDK tells all that was printed, unless it is closed before.
    if (!(this.#silent && (await within(OUTPUT_GRACE_MS, this.#silent)))) this.#query.close();
  }

  /** Ends the program in order, so that its transcript and its events are complete; in the end, it is killed. */
  async #quit(child: ChildProcess): Promise<void> {
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const kill = setTimeout(() => child.kill("SIGKILL"), EXIT_GRACE_MS);
    if (this.#turn) {
      this.#query.interrupt().catch(() => {});
      await within(TURN_GRACE_MS, this.#turn.promise, exited);
    }
    this.#input.end();
    if (!(await within(QUIT_GRACE_MS, exited))) child.kill("SIGTERM");
    await exited;
    clearTimeout(kill);
  }

  /** A yes for good is one for this session alone: the user's settings are theirs to write. */
  #asking(permit: Permit): CanUseTool {
    return async (name, input, { signal, suggestions = [], toolUseID: id }) => {
      const rules = suggestions.flatMap((one) => (one.type === "addRules" ? one.rules : []));
      const [rule = { toolName: name }] = rules;
      const { about } = toolStart(id, name, input);
      const said = await permit({ id, name, about, rule: ruleText(rule) }, signal);
      if (said.answer === "no") {
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

  #options(spec: SessionSpec): Options {
    return {
      cwd: spec.cwd,
      env: {
        ...(!spec.autoCompact && WHOLE_WINDOW),
        ...spec.env,
        ...(!spec.readsRepository && WITHOUT_REPOSITORY.env),
        [sessionMark(spec.sessionId).name]: spec.sessionId,
        CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
        ...CLIENT,
      },
      ...(!spec.readsRepository && withoutRepository()),
      ...(spec.resume ? { resume: spec.sessionId } : { sessionId: spec.sessionId }),
      ...(spec.model !== undefined && { model: spec.model }),
      systemPrompt: {
        type: "preset",
        preset: "claude_code",
        ...(spec.systemPrompt !== undefined && { append: spec.systemPrompt }),
      },
      allowedTools: [
        ...spec.allowedTools,
        ...spec.ownTools.names.map(ownToolName),
        // A path from the root begins with two slashes in a rule.
        ...(spec.readable ?? []).map((folder) => `Read(/${folder}/**)`),
      ],
      disallowedTools: spec.deniedTools,
      ...(spec.permissionMode !== undefined && {
        permissionMode: spec.permissionMode as PermissionMode,
        allowDangerouslySkipPermissions: spec.permissionMode === "bypassPermissions",
      }),
      ...(spec.permit ? { canUseTool: this.#asking(spec.permit) } : { permissionPrompts: "none" }),
      mcpServers: {
        ...(spec.mcpServers as Record<string, McpServerConfig>),
        ...(spec.ownTools.names.length > 0 && { [OWN_SERVER]: ownServer(spec.ownTools) }),
      },
      ...(spec.maxTurns !== undefined && { maxTurns: spec.maxTurns }),
      ...(spec.executable !== undefined && { pathToClaudeCodeExecutable: spec.executable }),
      settings: { autoCompactEnabled: spec.autoCompact },
      includePartialMessages: true,
      abortController: this.#abort,
      stderr: (data) => {
        this.#stderr = (this.#stderr + data).slice(-STDERR_TAIL);
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input) => {
                if (this.#closing) return TOO_LATE;
                if (input.hook_event_name === "PreToolUse") this.#noteCommand(input);
                return {};
              },
            ],
          },
        ],
        ...(!spec.permit && {
          PermissionRequest: [
            {
              hooks: [
                async (input, id) => {
                  if (input.hook_event_name === "PermissionRequest" && id !== undefined)
                    this.#denials.asked(id, input.tool_name, input.permission_suggestions ?? [], spec.cwd);
                  return {};
                },
              ],
            },
          ],
        }),
        ConfigChange: [{ hooks: [async (input) => (isOfRepository(input) ? NEXT_SESSION : {})] }],
        PostToolBatch: [
          {
            hooks: [
              async (input) => {
                if (input.hook_event_name !== "PostToolBatch" || input.agent_id !== undefined) return {};
                if (!this.#closing) await this.#boundary.endOfBatch(HEARING_GRACE_MS);
                if (!this.#stopping && !this.#closing) return {};
                return {
                  continue: false,
                  stopReason: "Baton stops here: the work continues from this point.",
                };
              },
            ],
          },
        ],
      },
      // A session of its own: Ctrl-C in the terminal reaches Baton alone, which then ends the agent in order.
      spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
        const over = handedOver(args, env);
        const child = spawn(command, over.args, {
          cwd,
          env,
          signal,
          detached: true,
          stdio: ["pipe", "pipe", "pipe"],
        });
        child.stderr.setEncoding("utf8").on("data", (data: string) => {
          this.#stderr = (this.#stderr + data).slice(-STDERR_TAIL);
        });
        child.once("exit", over.remove).once("error", over.remove);
        this.#child = child;
        if (child.pid !== undefined && this.#trace) leaveTrace(child.pid, this.#trace);
        this.#silent = new Promise((resolve) => child.once("close", () => resolve()));
        return child;
      },
    };
  }

  /** Only here the program tells in which folder a command is started. */
  #noteCommand({ tool_use_id: id, tool_name, tool_input, cwd }: PreToolUseHookInput): void {
    const does = toolAction(tool_name, tool_input);
    if (does.kind === "command") this.#messages.commandCalled(id, { command: does.command, cwd });
  }

  async *#read(): AsyncGenerator<AgentEvent> {
    const messages = this.#query[Symbol.asyncIterator]();
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

  async *#run(): AsyncGenerator<AgentEvent> {
    let message: string | undefined;
    try {
      yield* this.#read();
    } catch (error) {
      message = messageOf(error);
    }
    this.#turnIsOver();
    const { exitCode, signalCode } = this.#child ?? {};
    const said = this.#stderr.trim();
    yield {
      type: "exit",
      ...(typeof exitCode === "number" && { code: exitCode }),
      ...(signalCode && { signal: signalCode }),
      ...((message || said) && { message: [message, said].filter(Boolean).join("\n") }),
    };
  }
}

/** The SDK changes no list that it is given, but its types do not say so. */
function withoutRepository(): Pick<Options, "settingSources" | "strictMcpConfig"> {
  const { settingSources, strictMcpConfig } = WITHOUT_REPOSITORY.options;
  return { settingSources: [...settingSources], strictMcpConfig };
}

/** The program takes in settings while it runs, and these nobody has looked at: an agent may just have written them. */
function isOfRepository(input: HookInput): boolean {
  return (
    input.hook_event_name === "ConfigChange" && !["user_settings", "policy_settings"].includes(input.source)
  );
}

/** True when one of them has resolved by then. */
async function within(ms: number, ...promises: Promise<void>[]): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const inTime = await Promise.race([late.promise, ...promises.map((each) => each.then(() => true))]);
  clearTimeout(timer);
  return inTime;
}
