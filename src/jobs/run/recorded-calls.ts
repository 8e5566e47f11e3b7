import type { AgentEvent } from "../../agents/events.ts";
import { type RecordedCall, recordedEnd, recordedKind, recordedStart } from "../../agents/recorded-tool.ts";
import type { JobEvent } from "../../job/events.ts";

type Start = Extract<JobEvent, { type: "tool:start" }>;
type End = Extract<JobEvent, { type: "tool:end" }>;

/** The calls of a session's main thread that the journal saw end, in the order in which they did. */
export function callsOf(session: string, starts: readonly Start[], ends: readonly End[]): RecordedCall[] {
  const isOurs = (event: Start | End) => event.session === session && event.subagent === undefined;
  const started = new Map(starts.filter(isOurs).map((start) => [start.id, start]));
  return ends.filter(isOurs).flatMap(({ id, ok, output }) => {
    const start = started.get(id);
    if (!start) return [];
    const { name, summary } = start;
    return [{ id, name, does: recordedKind(start), summary, ok, output }];
  });
}

/**
 * Holds a transcript against the journal: the program writes it a moment after it has told of a call, and writes of a call
 * that it did not live to write of that it was interrupted.
 */
export class LaggingTranscript {
  readonly #recorded: Map<string, RecordedCall>;
  readonly #started = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(recorded: readonly RecordedCall[]) {
    // What Baton's own tools were told is not done before it is stored.
    this.#recorded = new Map(recorded.flatMap((call) => (call.does === "own" ? [] : [[call.id, call]])));
  }

  /** The event as it was: with the end that is on record where the transcript has another. */
  corrected(event: AgentEvent): AgentEvent {
    if (event.type === "tool:start") this.#started.add(event.id);
    if (event.type !== "tool:end") return event;
    const call = this.#recorded.get(event.id);
    if (call?.ok && !event.ok) return recordedEnd(call);
    this.#ended.add(event.id);
    return event;
  }

  /** Calls that have ended, although the transcript does not say so. */
  unknown(): RecordedCall[] {
    return [...this.#recorded.values()].filter(({ id }) => !this.#ended.has(id));
  }

  /** What the transcript has not said of them, as events. */
  missing(): AgentEvent[] {
    return this.unknown().flatMap((call) =>
      this.#started.has(call.id) ? [recordedEnd(call)] : [recordedStart(call), recordedEnd(call)],
    );
  }
}
