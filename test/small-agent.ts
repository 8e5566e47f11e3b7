import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Agent, AgentSession, Message, Readiness, SessionSpec } from "../src/agents/agent.ts";
import { claudeVocabulary } from "../src/agents/claude/vocabulary.ts";
import type { AgentEvent, Outcome } from "../src/agents/events.ts";
import type { Instruction } from "../src/agents/instructions.ts";
import { claude as abilities } from "../src/config/runtimes/claude.ts";
import { endMarked, sessionMark } from "../src/processes/marks.ts";
import type { RepositoryFile } from "../src/trust/repository-file.ts";
import {
  idle,
  kept,
  PlayedSession,
  playedModels,
  response,
  toolEnd,
  toolStart,
  turnEnd,
} from "./played-session.ts";

/** How a session behaves. By default it answers and then waits in a tool call until it is asked to stop. */
export interface Behaviour {
  onSend?(session: SmallSession, message: Message): void;
  /** What it still says once it is being closed. */
  onClose?(session: SmallSession): void;
  /** Where the transcript of a session is. */
  transcript?(session: string): string | undefined;
}

/** An agent whose program is a real process that does nothing. What it says is up to the test. */
export class SmallAgent implements Agent {
  readonly name = "Small agent";
  readonly abilities = abilities;
  readonly models = playedModels;
  readonly vocabulary = claudeVocabulary;
  readonly sessions: SmallSession[] = [];
  readonly #behaviour: Behaviour;

  constructor(behaviour: Behaviour = {}) {
    this.#behaviour = behaviour;
  }

  start(spec: SessionSpec): AgentSession {
    const session = new SmallSession(spec, this.#behaviour);
    this.sessions.push(session);
    return session;
  }

  async repositoryFiles(): Promise<RepositoryFile[]> {
    return [];
  }

  async instructions(): Promise<Instruction[]> {
    return [];
  }

  async findTranscript({ sessionId }: Pick<SessionSpec, "sessionId">): Promise<string | undefined> {
    return this.#behaviour.transcript?.(sessionId);
  }

  readTranscript({ sessionId }: Pick<SessionSpec, "sessionId">): AsyncIterable<AgentEvent> {
    return kept(this.#behaviour.transcript?.(sessionId));
  }

  async ready(): Promise<Readiness> {
    return { state: "ready", program: "sleep", credentials: "none" };
  }

  async version(): Promise<string> {
    return "1.0";
  }
}

export class SmallSession extends PlayedSession {
  readonly program: ChildProcess;
  readonly #behaviour: Behaviour;
  #calls = 0;
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec, behaviour: Behaviour) {
    super(spec.sessionId, spec);
    this.#behaviour = behaviour;
    const env = { ...spec.env, [sessionMark(this.id).name]: this.id };
    this.program = spawn("sleep", ["1000"], { cwd: spec.cwd, env, detached: true, stdio: "ignore" });
    this.play({ type: "init", sessionId: this.id, model: "claude-sonnet-4-5", program: "sleep" });
  }

  /** One answer of the model that calls a tool, in a window that is this full. */
  callsTool(tokens = 10): void {
    this.#calls++;
    this.play(response(tokens), toolStart(this.#call, "sleep"));
  }

  toolEnds(): void {
    this.play(toolEnd(this.#call));
  }

  turnEnds(outcome: Outcome): void {
    this.play(turnEnd(outcome), idle);
  }

  override send(message: Message): void {
    if (this.#behaviour.onSend) this.#behaviour.onSend(this, message);
    else this.callsTool();
  }

  override stopAtBoundary(): void {
    this.toolEnds();
    this.turnEnds({ kind: "stopped" });
  }

  override async interrupt(): Promise<void> {
    this.turnEnds({ kind: "interrupted" });
  }

  override close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  get #call(): string {
    return `${this.id}-tool-${this.#calls}`;
  }

  async #close(): Promise<void> {
    this.#behaviour.onClose?.(this);
    const { program } = this;
    if (program.exitCode === null && program.signalCode === null) {
      program.kill("SIGKILL");
      await once(program, "exit");
    }
    await endMarked(sessionMark(this.id));
    await super.close();
  }
}
