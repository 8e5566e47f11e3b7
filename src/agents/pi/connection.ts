import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { sessionMark } from "../../processes/marks.ts";
import { messageOf } from "../../util/errors.ts";
import { fromJson, isFields } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import { PrivateFiles } from "../claude/private-files.ts";
import { Lines, messageIn, Queue } from "../process/output.ts";
import { foundPlaceOf } from "../process/own-program.ts";
import { StartedProgram } from "../started-program.ts";
import { piInside } from "./box/needs.ts";
import { type Questions, SEND, type Sent, TITLE } from "./extension.ts";
import { commandLine, sessionFolder } from "./flags.ts";
import { NAME, PI } from "./program.ts";
import type { PiRecord } from "./records.ts";
import { findTranscript, piHome } from "./transcript.ts";

/** How long it may take to answer a question about its state. */
const ANSWER_LIMIT_MS = 10_000;

/** A question of Baton's extension. `answer` may be called again, which does nothing. */
export type Asked = {
  [K in keyof Questions]: {
    type: "asked";
    kind: K;
    question: Questions[K]["asked"];
    answer: (answer: Questions[K]["answer"]) => void;
  };
}[keyof Questions];

const KINDS: readonly string[] = ["begin", "boundary", "compact", "call"] satisfies (keyof Questions)[];

/** What only repeats others, or tells nothing that Baton wants to know: not even read. */
const REPEATED = /^\{"type":"(?:agent_start|agent_end|turn_start|turn_end|message_start|queue_update)"/;
const SIGN_OF_LIFE = /^\{"type":"tool_execution_(?:start|update)"/;
const ACTIVITY: PiRecord = { type: "message_update", assistantMessageEvent: { type: "activity" } };

/** A live pi in RPC mode: what it prints, in order, and what it is asked. */
export class PiConnection {
  readonly started: Promise<void>;
  readonly records = new Queue<PiRecord | Asked>();
  readonly #answers = new Map<string, PromiseWithResolvers<unknown>>();
  readonly #asked: (asked: Asked) => void;
  #program: StartedProgram | undefined;
  #forbidding: string | undefined;
  #closed = false;

  /** `asked` hears a question at once, whoever reads `records`. */
  constructor(spec: SessionSpec, asked: (asked: Asked) => void) {
    this.#asked = asked;
    this.started = this.#start(spec).catch((error: unknown) => this.records.end(new Error(messageOf(error))));
  }

  /** A path: once there is a file, no tool call begins any more. */
  get forbidding(): string {
    return this.#forbidding ?? "";
  }

  get program(): StartedProgram | undefined {
    return this.#program;
  }

  send(sent: Sent): void {
    void this.started.then(() =>
      this.#write({ type: "prompt", message: `/${SEND} ${JSON.stringify(sent)}` }),
    );
  }

  /** From now on no tool call begins. */
  forbidCalls(): void {
    try {
      if (this.#forbidding !== undefined) writeFileSync(this.#forbidding, "", { mode: 0o600 });
    } catch {
      // Where nothing can be written, calls end with the turn.
    }
  }

  async ask<T>(type: string): Promise<T> {
    await this.started;
    if (!this.#program || this.#program.hasEnded) throw new Error(`${NAME} has ended.`);
    const id = randomUUID();
    const waiting = Promise.withResolvers<unknown>();
    this.#answers.set(id, waiting);
    const late = setTimeout(() => waiting.reject(new Error(`${NAME} did not answer.`)), ANSWER_LIMIT_MS);
    this.#write({ id, type });
    try {
      return (await waiting.promise) as T;
    } finally {
      clearTimeout(late);
      this.#answers.delete(id);
    }
  }

  /** Without waiting for an answer. */
  tell(type: string): void {
    void this.started.then(() => this.#write({ type }));
  }

  endInput(): void {
    void this.started.then(() => this.#program?.child.stdin.end());
  }

  /** Of a program that has ended. */
  close(): void {
    this.#closed = true;
    this.records.end();
  }

  async #start(spec: SessionSpec): Promise<void> {
    const found = foundPlaceOf(PI, spec.env, spec.executable);
    const [command, ...script] = spec.box ? piInside(spec).command : [found];
    const kept = await this.#kept(spec);
    if (this.#closed) return;
    const files = new PrivateFiles(spec.env, spec.box?.folder);
    this.#forbidding = files.reserve();
    const ended = () => {
      files.remove();
      for (const { reject } of this.#answers.values()) reject(new Error(`${NAME} has ended.`));
      this.#answers.clear();
    };
    const mark = sessionMark(spec.sessionId);
    this.#program = new StartedProgram(
      command,
      [...script, ...commandLine(spec, kept, (text) => files.put(text))],
      {
        cwd: spec.cwd,
        env: { ...spec.env, [mark.name]: mark.value },
        trace: spec.trace,
        launch: spec.box?.launch,
        ended,
      },
    );
    const { child, silent } = this.#program;
    const lines = new Lines((line) => this.#take(line));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text));
    child.once("error", (error) => this.records.end(error));
    void silent.then(() => this.records.end());
  }

  async #kept(spec: SessionSpec): Promise<{ file: string } | { folder: string }> {
    if (spec.resume) {
      const file = await findTranscript(spec);
      if (file === undefined) throw new Error(`${NAME} has no session ${spec.sessionId} any more.`);
      return { file };
    }
    const cwd = await realpath(spec.cwd).catch(() => spec.cwd);
    const folder = sessionFolder(piHome(spec.env), spec.env, cwd);
    await mkdir(folder, { recursive: true });
    return { folder };
  }

  #take(line: string): void {
    if (REPEATED.test(line)) return;
    if (SIGN_OF_LIFE.test(line)) {
      this.records.push(ACTIVITY);
      return;
    }
    const record = messageIn<PiRecord>(line);
    if (record?.type === "response") this.#answered(record);
    else if (record?.type === "extension_ui_request") this.#question(record);
    else if (record) this.records.push(record);
  }

  #answered({ id = "", success, data, error }: Extract<PiRecord, { type: "response" }>): void {
    const waiting = this.#answers.get(id);
    if (success) waiting?.resolve(data);
    else if (waiting) waiting.reject(new Error(error));
    else this.records.push({ type: "extension_error", event: "prompt", error: error ?? "refused" });
  }

  /** Extensions of the user's may ask, too. Nobody is there: they get no answer, and go on. */
  #question({ id, method, title, placeholder }: Extract<PiRecord, { type: "extension_ui_request" }>): void {
    if (!["select", "confirm", "input", "editor"].includes(method)) return;
    const reply = (answer: object) => this.#write({ type: "extension_ui_response", id, ...answer });
    const given = method === "input" && title === TITLE ? fromJson(placeholder ?? "") : undefined;
    if (!isFields(given) || !KINDS.includes(String(given.kind))) {
      reply({ cancelled: true });
      return;
    }
    let isAnswered = false;
    const { kind, ...question } = given;
    const answer = (said: unknown) => {
      if (isAnswered) return;
      isAnswered = true;
      reply({ value: JSON.stringify(said) });
    };
    const asked = { type: "asked", kind, question, answer } as Asked;
    this.#asked(asked);
    this.records.push(asked);
  }

  #write(line: object): void {
    const stdin = this.#program?.child.stdin;
    if (stdin?.writable) stdin.write(`${JSON.stringify(line)}\n`);
  }
}
