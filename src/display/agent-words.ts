import type { JobEventType, JournalEvent } from "../job/events.ts";

/** After these, what was said before is not the end of the job's work. */
const GOES_ON: ReadonlySet<JobEventType> = new Set([
  "text",
  "tool:start",
  "message:sent",
  "session:starting",
  "context:handoff:start",
  "compaction",
  "retry",
  "limit:waiting",
  "job:failed",
  "job:paused",
  "job:cancelled",
  "job:interrupted",
]);

/**
 * Shows a job's result once. What the agent says is shown when it is said, unless it is too long to be shown whole: then it waits for what
 * comes next, because as the result it stands whole at the end.
 */
export class AgentWords {
  readonly #isWhole: (text: string) => boolean;
  #held: JournalEvent | undefined;
  #shown: string | undefined;

  /** `isWhole`: whether the screen shows all of a text. */
  constructor(isWhole: (text: string) => boolean) {
    this.#isWhole = isWhole;
  }

  /** What is to be shown now. */
  after(event: JournalEvent): JournalEvent[] {
    if (event.type === "job:completed" && this.#held?.type === "text") {
      if (isSame(this.#held.text, event.result)) this.#held = undefined;
    }
    const isOver = event.type === "job:completed" || GOES_ON.has(event.type);
    const before = isOver ? this.rest() : [];
    if (event.type !== "text" || event.text.trim() === "") return [...before, event];
    if (this.#isWhole(event.text)) {
      this.#shown = event.text;
      return [...before, event];
    }
    this.#held = event;
    this.#shown = undefined;
    return before;
  }

  /** What nothing came after. */
  rest(): JournalEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [held] : [];
  }

  /** Whether it stands on the screen, whole, as the last that the agent said. */
  hasShown(result: string): boolean {
    return this.#shown !== undefined && isSame(this.#shown, result);
  }
}

function isSame(one: string, other: string): boolean {
  return one.trim() === other.trim();
}
