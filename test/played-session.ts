import { randomUUID } from "node:crypto";
import type { Agent, AgentSession, Message, Models, Readiness, SessionSpec } from "../src/agents/agent.ts";
import { TranscriptReader } from "../src/agents/claude/transcript/reader.ts";
import { claudeVocabulary } from "../src/agents/claude/vocabulary.ts";
import type { AgentEvent, BackgroundTask, ContextUsage, Outcome } from "../src/agents/events.ts";
import type { Instruction } from "../src/agents/instructions.ts";
import { claude as abilities } from "../src/config/runtimes/claude.ts";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { AccountInbox } from "../src/handoff/account-inbox.ts";
import type { RepositoryFile } from "../src/trust/repository-file.ts";

type Asked = "stopAtBoundary" | "goOn" | "interrupt" | "letCompact" | "close";

/** A session without a program: the test plays what happens in it, and sees what it is asked. */
export class PlayedSession implements AgentSession {
  readonly id: string;
  readonly ownTools: SessionSpec["ownTools"];
  readonly resumed: boolean;
  readonly sent: Message[] = [];
  /** Since the last message. */
  asked: Asked[] = [];
  costUsd: number | undefined;
  usage: ContextUsage | undefined;
  canCompact = true;
  onSend: (text: string) => unknown = () => {};
  readonly #played: AgentEvent[] = [];
  readonly #waiting = new Map<Asked, () => void>();
  #next: (() => void) | undefined;
  #isClosed = false;

  constructor(
    id = "session-1",
    { ownTools = new AccountInbox().tools, resume = false }: Partial<SessionSpec> = {},
  ) {
    this.id = id;
    this.ownTools = ownTools;
    this.resumed = resume;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get events(): AsyncIterable<AgentEvent> {
    return this.#events();
  }

  /** These happen one after the other, as fast as they are listened to. */
  play(...events: AgentEvent[]): this {
    this.#played.push(...events);
    this.#next?.();
    return this;
  }

  /** Resolves when the session is asked this, or has been since the last message. */
  async untilAsked(what: Asked): Promise<void> {
    if (this.asked.includes(what)) return;
    await new Promise<void>((resolve) => this.#waiting.set(what, resolve));
  }

  /** What the agent reads when it calls a tool of Baton's own. */
  async calls(tool: "submit_handoff" | "request_handoff", input: Record<string, unknown>): Promise<string> {
    const own = (await this.ownTools.load()).find(({ name }) => name === tool);
    if (!own) throw new Error(`no tool ${tool}`);
    return (await own.call(input)).text;
  }

  send(message: Message): void {
    this.sent.push(message);
    this.asked = [];
    this.onSend(message.text);
  }

  stopAtBoundary(): void {
    this.#note("stopAtBoundary");
  }

  goOn(): void {
    this.#note("goOn");
  }

  async interrupt(): Promise<void> {
    this.#note("interrupt");
  }

  async contextUsage(): Promise<ContextUsage | undefined> {
    return this.usage;
  }

  async letCompact(): Promise<boolean> {
    this.#note("letCompact");
    return this.canCompact;
  }

  async costSoFar(): Promise<number | undefined> {
    return this.costUsd;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#note("close");
    this.#next?.();
  }

  #note(what: Asked): void {
    this.asked.push(what);
    this.#waiting.get(what)?.();
    this.#waiting.delete(what);
  }

  async *#events(): AsyncGenerator<AgentEvent> {
    for (;;) {
      const event = this.#played.shift();
      if (event) yield event;
      else if (this.#isClosed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#next = resolve;
        });
      }
    }
  }
}

/** What a session does about a message. */
export type Part = (session: PlayedSession, text: string) => unknown;

/** An agent whose sessions play one part for each message that they are sent, whichever of them it is. */
export class PlayedAgent implements Agent {
  readonly name = "Played agent";
  abilities: Agent["abilities"] = abilities;
  readonly models = playedModels;
  readonly vocabulary = claudeVocabulary;
  readonly sessions: PlayedSession[] = [];
  /** Where the transcript of a session is, by its id. */
  readonly transcripts = new Map<string, string>();
  /** What came with the repository, and acts. */
  files: RepositoryFile[] = [];
  readonly #parts: Part[];

  readonly #account = randomUUID();

  constructor(...parts: Part[]) {
    this.#parts = [...parts];
  }

  start(spec: SessionSpec): PlayedSession {
    const session = new PlayedSession(spec.sessionId, spec);
    session.onSend = (text) => this.#parts.shift()?.(session, text);
    this.sessions.push(session);
    return session;
  }

  async repositoryFiles(): Promise<RepositoryFile[]> {
    return this.files;
  }

  async instructions(): Promise<Instruction[]> {
    return [];
  }

  async findTranscript({ sessionId }: Pick<SessionSpec, "sessionId">): Promise<string | undefined> {
    return this.transcripts.get(sessionId);
  }

  readTranscript({ sessionId }: Pick<SessionSpec, "sessionId">): AsyncIterable<AgentEvent> {
    return kept(this.transcripts.get(sessionId));
  }

  /** Each has an account of its own. */
  async signIn(): Promise<string[]> {
    return [this.#account];
  }

  async ready(): Promise<Readiness> {
    return { state: "ready", program: "played", credentials: "none" };
  }

  async version(): Promise<string> {
    return "1.0";
  }
}

/** What stands in a transcript that a test has written, as Claude Code writes one. */
export async function* kept(path: string | undefined): AsyncGenerator<AgentEvent> {
  if (path !== undefined) yield* new TranscriptReader(path).read();
}

const MODEL = "claude-sonnet-4-5";

/** One model, in one spelling. */
export const playedModels: Models = {
  windowOf: (model) => (model === MODEL ? 200_000 : undefined),
  windowKey: (model) => model,
  isSameModel: (one, other) => one === other,
  priceOf: () => ({ input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 }),
};

let responses = 0;

/** An answer of the model, after which this much of the window is in use. */
export function response(tokens: number, subagent?: string): Extract<AgentEvent, { type: "response" }> {
  const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  const id = `response-${++responses}`;
  return { type: "response", id, model: MODEL, usage, ...(subagent !== undefined && { subagent }) };
}

export function turnEnd(outcome: Outcome, costUsd = 0): AgentEvent {
  return { type: "turn:end", outcome, costUsd, windows: {} };
}

export const idle: AgentEvent = { type: "idle" };
export const stopped = turnEnd({ kind: "stopped" });
export const completed = (text = "Done."): AgentEvent => turnEnd({ kind: "completed", text });
export const overflow = turnEnd({ kind: "out-of-context", message: "Prompt is too long" });
export const failing = turnEnd({ kind: "failed", message: "API Error: 529", code: "api", retryable: true });
export const toolStart = (id: string, command = "make"): AgentEvent => ({
  type: "tool:start",
  id,
  name: "Shell",
  does: { kind: "command", command },
  about: command,
  input: { command },
});
export const toolEnd = (id: string): AgentEvent => ({ type: "tool:end", id, ok: true, output: "fine" });

/** What runs in the background now. */
export function background(...ids: string[]): AgentEvent {
  const tasks: BackgroundTask[] = ids.map((id) => ({ id, kind: "local_bash", description: `serve ${id}` }));
  return { type: "background", tasks };
}

/** An account with which nothing is wrong. */
export const account: Account = {
  ...emptyAccount(),
  goal: "Write the notes.",
  progress: { done: ["The first line is written"], inProgress: [], pending: ["The second line"] },
  currentState: "One line of two is there.",
  nextSteps: ["Write the second line."],
};

/** The same, as the tool takes it. */
export const submitted = {
  goal: account.goal,
  progress: { done: account.progress.done, in_progress: [], pending: account.progress.pending },
  current_state: account.currentState,
  next_steps: account.nextSteps,
};

/** Works, and says that it is done. */
export const finishes =
  (text = "All is done."): Part =>
  (session) =>
    session.play(response(10_000), { type: "text", text }, completed(text), idle);

/** Works until its window is so full that it is stopped at the end of a tool. */
export const fillsWindow: Part = async (session) => {
  session.play(response(20_000), toolStart("a"), toolEnd("a"), response(150_000), toolStart("b"));
  await session.untilAsked("stopAtBoundary");
  session.play(toolEnd("b"), stopped, idle);
};

/** Hands in its account, and is stopped. */
export const handsIn: Part = async (session) => {
  await session.calls("submit_handoff", submitted);
  session.play(response(151_000), stopped, idle);
};
