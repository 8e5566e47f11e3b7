import type { ChatOutput } from "../../config/chat-config.ts";
import type { Connector, Place } from "../../connectors/connector.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { StatusMessage as Recorded } from "../../store/conversations/conversations.ts";
import { counted } from "../../util/figures.ts";
import { printable } from "../../util/printable.ts";
import { fenced, inLine } from "./words.ts";

interface Options {
  connector: Connector;
  place: Place;
  output: ChatOutput;
  /** Of an earlier process, that was cut off. */
  recorded: Recorded | null;
  record: (status: Recorded | null) => Promise<void>;
  signal: AbortSignal;
}

interface Steps {
  done: number;
  running: Map<string, string>;
  result: string;
  /** The last of what the agent writes, where that is not shown elsewhere. */
  partial: string;
  since: number;
}

const LONGEST_PARTIAL = 300;
const LONGEST_TOOL = 120;

/**
 * The one message of a turn that shows what the agent does, edited as seldom as its service wants. It is a comfort: what cannot be
 * shown is not tried again, because the next state comes anyway.
 */
export class StatusMessage {
  readonly #options: Options;
  #message: Recorded | null;
  #steps = noSteps();
  #timer: NodeJS.Timeout | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#message = options.recorded;
  }

  heard(event: JournalEvent): void {
    const { output } = this.#options;
    switch (event.type) {
      case "tool:start":
        if (event.subagent !== undefined) return;
        this.#steps.running.set(event.id, `${event.name} ${event.summary}`.trim().slice(0, LONGEST_TOOL));
        this.#steps.partial = "";
        this.#soon();
        break;
      case "tool:end":
        if (!this.#steps.running.delete(event.id)) return;
        this.#steps.done += 1;
        if (output.toolResults) this.#steps.result = event.output.slice(0, output.toolResultMaxLength);
        this.#soon();
        break;
      case "person:awaited":
      case "job:completed":
      case "job:paused":
      case "job:failed":
      case "job:cancelled":
        this.#over();
    }
  }

  partial(text: string): void {
    this.#steps.partial = text.slice(-LONGEST_PARTIAL);
    this.#soon();
  }

  /** What was to be shown is shown, or given up. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #soon(): void {
    if (!this.#options.output.progressIndicator || this.#timer) return;
    const due = this.#shownAt + this.#options.connector.limits.editEveryMs - performance.now();
    this.#timer = setTimeout(() => this.#show(inProgress(this.#steps)), Math.max(0, due));
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const steps = this.#steps;
    this.#steps = noSteps();
    if (!this.#message) return;
    this.#show(atTheEnd(steps));
    this.#writing = this.#writing.then(async () => {
      this.#message = null;
      await this.#options.record(null).catch(() => {});
    });
  }

  #show(text: string): void {
    this.#timer = undefined;
    this.#shownAt = performance.now();
    this.#writing = this.#writing.then(() => this.#write(text)).catch(() => {});
  }

  async #write(text: string): Promise<void> {
    const { connector, place, signal, record } = this.#options;
    this.#message ??= { nonce: newNonce() };
    const { nonce } = this.#message;
    if (this.#message.ref === undefined) {
      const isOld = this.#message === this.#options.recorded;
      await record({ nonce });
      const ref = await connector.post(place, { nonce, text }, signal);
      this.#message = { nonce, ref };
      await record(this.#message);
      if (!isOld) return;
    }
    if (this.#message.ref !== undefined) await connector.edit(place, this.#message.ref, { text }, signal);
  }
}

function noSteps(): Steps {
  return { done: 0, running: new Map(), result: "", partial: "", since: performance.now() };
}

function inProgress({ done, running, result, partial }: Steps): string {
  const now = [...running.values()].map((tool) => `⏳ ${inLine(tool)}`);
  const before = done > 0 ? [`✓ ${counted(done, "step")}`] : [];
  const last = result.trim() === "" || running.size > 0 ? [] : [fenced(printable(result))];
  const writes = partial.trim() === "" ? [] : [`✏️ ${inLine(partial)}`];
  return [...before, ...now, ...last, ...writes].join("\n") || "⏳ …";
}

function atTheEnd({ done, since }: Steps): string {
  const seconds = Math.max(1, Math.round((performance.now() - since) / 1_000));
  return `✓ ${counted(done, "step")}, ${seconds} s`;
}

/** Short enough for every service. */
export function newNonce(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 24);
}
