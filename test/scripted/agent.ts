import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, AgentSession, Message, OwnTool, SessionSpec } from "../../src/agents/agent.ts";
import { claudeInstructions } from "../../src/agents/claude/instructions.ts";
import { claudeReadiness, NAME } from "../../src/agents/claude/program.ts";
import { claudeRepositoryFiles } from "../../src/agents/claude/repository.ts";
import { claudeSignIn } from "../../src/agents/claude/sign-in.ts";
import { findTranscript, sessionEvents } from "../../src/agents/claude/transcripts.ts";
import { claudeVocabulary } from "../../src/agents/claude/vocabulary.ts";
import { claudeModels } from "../../src/agents/claude/windows.ts";
import type { AgentEvent, ContextUsage } from "../../src/agents/events.ts";
import type { PermissionQuestion } from "../../src/agents/permission.ts";
import { versionSaidBy } from "../../src/agents/process/own-program.ts";
import { claude as abilities } from "../../src/config/runtimes/claude.ts";
import { endMarked, sessionMark } from "../../src/processes/marks.ts";
import { endTraced, leaveTrace } from "../../src/processes/trace.ts";
import { contextWindowOf, costOf } from "./figures.ts";
import type { FromProgram, ProgramSpec, ToProgram } from "./protocol.ts";

/** In the bundle, if there is one already, or beside this file. */
const PROGRAM = process.env.BATON_TEST_BUNDLE
  ? join(process.env.BATON_TEST_BUNDLE, "program.js")
  : join(import.meta.dirname, `program${extname(import.meta.filename)}`);
const EXIT_GRACE_MS = 5_000;
const AUTO_COMPACT_RESERVE = 33_000;

/**
 * An agent with a small program of its own behind the contract: it asks the simulator for answers, runs tools for real
 * and keeps a transcript, at a fiftieth of what Claude Code costs. `agent-contract.test.ts` holds both to the same contract.
 * It takes the place of Claude Code, and so has its models and format of transcripts, and is ready where that is.
 */
export const scripted: Agent = {
  name: NAME,
  abilities,
  models: claudeModels,
  vocabulary: claudeVocabulary,
  ready: claudeReadiness,
  signIn: claudeSignIn,
  version: versionSaidBy,
  repositoryFiles: claudeRepositoryFiles,
  instructions: claudeInstructions,
  start: (spec) => new ScriptedSession(spec),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};

class ScriptedSession implements AgentSession {
  readonly id: string;
  readonly events: AsyncIterable<AgentEvent>;
  readonly #spec: SessionSpec;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterable<string>;
  #tools: Promise<OwnTool[]> | undefined;
  #stopping = false;
  /** Aborted when it is broken off. */
  #turn = new AbortController();
  #compacts = false;
  #tokens = 0;
  #costUsd = 0;
  #stderr = "";
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec) {
    this.id = spec.sessionId;
    this.#spec = spec;
    const { name, value } = sessionMark(spec.sessionId);
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PROGRAM, told(spec)], {
      cwd: spec.cwd,
      env: { ...spec.env, [name]: value },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined && spec.trace) leaveTrace(pid, spec.trace);
    if (!stdin || !stdout || !stderr) throw new Error("The scripted agent has no pipes.");
    stdin.on("error", () => {});
    this.#child.on("error", (error) => {
      this.#stderr += error.message;
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    // From now on, although nobody asks yet: a program that dies before would never come to its end.
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.events = this.#run();
  }

  send({ text }: Message): void {
    if (this.#closed) return;
    this.#stopping = false;
    if (this.#turn.signal.aborted) this.#turn = new AbortController();
    this.#tell({ type: "send", text });
  }

  stopAtBoundary(): void {
    this.#stopping = true;
  }

  goOn(): void {
    this.#stopping = false;
  }

  async interrupt(): Promise<void> {
    this.#turn.abort();
    this.#tell({ type: "interrupt" });
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    if (this.#hasEnded()) return undefined;
    const window = contextWindowOf(this.#spec.model);
    const autoCompact = this.#compacts || this.#spec.autoCompact;
    return {
      tokens: this.#tokens,
      window,
      autoCompact,
      ...(autoCompact && { autoCompactThreshold: window - AUTO_COMPACT_RESERVE }),
    };
  }

  async letCompact(): Promise<boolean> {
    this.#compacts = true;
    return !this.#hasEnded();
  }

  async costSoFar(): Promise<number | undefined> {
    return this.#hasEnded() ? undefined : this.#costUsd;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#turn.abort();
    this.#tell({ type: "close" });
    this.#child.stdin?.end();
    if (!this.#hasEnded()) {
      const timer = new AbortController();
      const ended = once(this.#child, "exit").then(() => timer.abort());
      const late = sleep(EXIT_GRACE_MS, undefined, { signal: timer.signal }).then(
        () => this.#child.kill("SIGKILL"),
        () => {},
      );
      await Promise.all([ended, late]);
    }
    const { trace } = this.#spec;
    await Promise.all([endMarked(sessionMark(this.id)), trace && endTraced(trace)]);
  }

  #hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  #tell(line: ToProgram): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  async *#run(): AsyncGenerator<AgentEvent> {
    const ended = this.#hasEnded() ? Promise.resolve() : once(this.#child, "close");
    for await (const line of this.#lines) {
      const said: FromProgram = JSON.parse(line);
      switch (said.type) {
        case "event":
          this.#count(said.event);
          yield said.event;
          break;
        case "boundary":
          // Here only when the reader asks for more, and so has dealt with all that led to it.
          this.#tell({ type: "boundary", stop: this.#stopping });
          break;
        case "own-tool":
          await this.#callOwnTool(said);
          break;
        case "permit":
          void this.#askPerson(said.question);
          break;
      }
    }
    await ended.catch(() => {});
    const { exitCode, signalCode } = this.#child;
    const message = this.#stderr.trim();
    yield {
      type: "exit",
      ...(exitCode !== null && { code: exitCode }),
      ...(signalCode && { signal: signalCode }),
      ...(message && { message }),
    };
  }

  async #callOwnTool({ id, name, input }: Extract<FromProgram, { type: "own-tool" }>): Promise<void> {
    this.#tools ??= this.#spec.ownTools.load();
    const tool = (await this.#tools).find((own) => own.name === name);
    const parsed = tool && (await parseInput(tool, input));
    const answer =
      tool && parsed?.ok
        ? await tool.call(parsed.input)
        : { ok: false, text: parsed && !parsed.ok ? parsed.message : `No such tool: ${name}` };
    this.#tell({ type: "own-tool", id, ...answer });
  }

  async #askPerson(question: PermissionQuestion): Promise<void> {
    const answer = await this.#spec.permit?.(question, this.#turn.signal);
    if (answer) this.#tell({ type: "permit", id: question.id, ...answer });
  }

  #count(event: AgentEvent): void {
    if (event.type !== "response" || !event.usage) return;
    this.#costUsd += costOf(event.usage);
    if (event.subagent !== undefined) return;
    const { input, output, cacheRead, cacheWrite } = event.usage;
    this.#tokens = input + output + cacheRead + cacheWrite;
  }
}

/** As an MCP server does, before the tool sees any of it. */
async function parseInput(tool: OwnTool, given: Record<string, unknown>) {
  const { z } = await import("zod");
  const parsed = z.object(tool.input).safeParse(given);
  if (parsed.success) return { ok: true as const, input: parsed.data };
  return { ok: false as const, message: `Invalid arguments for tool ${tool.name}: ${parsed.error.message}` };
}

function told(spec: SessionSpec): string {
  const { sessionId, resume, model, systemPrompt, allowedTools, deniedTools, permissionMode, maxTurns } =
    spec;
  const program: ProgramSpec = {
    sessionId,
    resume,
    allowedTools,
    deniedTools,
    readsRepository: spec.readsRepository,
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(maxTurns !== undefined && { maxTurns }),
    ownTools: spec.ownTools.names,
    asks: spec.permit !== undefined,
  };
  return JSON.stringify(program);
}
