import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Agent, AgentEvent, AgentSession, Message, Outcome, SessionSpec } from "../src/agents/agent.ts";
import { endMarked, sessionMark } from "../src/agents/marked.ts";

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

  async findTranscript({ sessionId }: Pick<SessionSpec, "sessionId">): Promise<string | undefined> {
    return this.#behaviour.transcript?.(sessionId);
  }
}

export class SmallSession implements AgentSession {
  readonly id: string;
  readonly program: ChildProcess;
  readonly events: AsyncIterable<AgentEvent>;
  readonly #behaviour: Behaviour;
  #said: AgentEvent[] = [];
  #wake = () => {};
  #responses = 0;
  #closed: Promise<void> | undefined;

  constructor(spec: SessionSpec, behaviour: Behaviour) {
    this.id = spec.sessionId;
    this.#behaviour = behaviour;
    const env = { ...spec.env, [sessionMark(this.id).name]: this.id };
    this.program = spawn("sleep", ["1000"], { cwd: spec.cwd, env, detached: true, stdio: "ignore" });
    this.events = this.#read();
    this.say({ type: "init", sessionId: this.id, model: "claude-sonnet-4-5", program: "sleep" });
  }

  say(...events: AgentEvent[]): void {
    this.#said.push(...events);
    this.#wake();
  }

  /** One answer of the model that calls a tool, in a window that is this full. */
  callsTool(tokens = 10): void {
    const number = ++this.#responses;
    const usage = { input: tokens, output: 1, cacheRead: 0, cacheWrite: 0 };
    this.say(
      { type: "response", id: `${this.id}-${number}`, model: "claude-sonnet-4-5", usage },
      { type: "tool:start", id: `${this.id}-tool-${number}`, name: "Bash", input: { command: "sleep" } },
    );
  }

  toolEnds(): void {
    this.say({ type: "tool:end", id: `${this.id}-tool-${this.#responses}`, ok: true, output: "" });
  }

  turnEnds(outcome: Outcome): void {
    this.say({ type: "turn:end", outcome, costUsd: 0, windows: {} }, { type: "idle" });
  }

  send(message: Message): void {
    if (this.#behaviour.onSend) this.#behaviour.onSend(this, message);
    else this.callsTool();
  }

  stopAtBoundary(): void {
    this.toolEnds();
    this.turnEnds({ kind: "stopped" });
  }

  goOn(): void {}

  async interrupt(): Promise<void> {
    this.turnEnds({ kind: "interrupted" });
  }

  async contextUsage(): Promise<undefined> {
    return undefined;
  }

  async costSoFar(): Promise<undefined> {
    return undefined;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#behaviour.onClose?.(this);
    const { program } = this;
    if (program.exitCode === null && program.signalCode === null) {
      program.kill("SIGKILL");
      await once(program, "exit");
    }
    await endMarked(sessionMark(this.id));
    this.say({ type: "exit" });
  }

  async *#read(): AsyncGenerator<AgentEvent> {
    for (;;) {
      for (const event of this.#said.splice(0)) {
        yield event;
        if (event.type === "exit") return;
      }
      if (this.#said.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
