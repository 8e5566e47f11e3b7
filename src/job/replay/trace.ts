import type { AgentEvent, TokenUsage } from "../../agents/events.ts";
import type { JournalEvent } from "../events.ts";

/** How the window became a new one before a turn. */
type Boundary = "handoff" | "compaction";

/** One response of the main thread, as it really was. */
export interface Turn {
  model: string;
  usage: TokenUsage;
  /** Milliseconds since the response before it; undefined where nobody knows. */
  tookMs?: number;
  after?: Boundary;
}

/** What a session or a job went through, turn by turn. */
export interface Trace {
  turns: Turn[];
  /** What writing accounts for handoffs took: no work, but it was paid for. */
  accounts: { model: string; usage: TokenUsage }[];
  /** Undefined where nobody knows. */
  window: number | undefined;
}

export function promptOf({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

/** The trace of a session from the events of its transcript, where a response is told again with each of its parts. */
export function transcriptTrace(events: readonly AgentEvent[], window: number | undefined): Trace {
  const turns = new Map<string, Turn>();
  let last: number | undefined;
  let after: Boundary | undefined;
  for (const event of events) {
    if (event.type === "compaction:end" && event.ok && turns.size > 0) after = "compaction";
    if (event.type !== "response" || event.subagent !== undefined || !isTold(event.usage)) continue;
    const { id, model, usage, at } = event;
    const known = turns.get(id);
    if (known) {
      known.usage = { ...known.usage, output: Math.max(known.usage.output, usage.output) };
      continue;
    }
    const now = at === undefined ? undefined : Date.parse(at);
    turns.set(id, { model, usage, ...since(last, now), ...(after && { after }) });
    last = now;
    after = undefined;
  }
  return { turns: [...turns.values()], accounts: [], window };
}

/** The trace of a job, over all of its sessions. */
export function jobTrace(events: readonly JournalEvent[]): Trace {
  const trace: Trace = { turns: [], accounts: [], window: undefined };
  let last: number | undefined;
  let after: Boundary | undefined;
  let isWriting = false;
  for (const event of events) {
    switch (event.type) {
      case "handoff:asked":
        isWriting = true;
        break;
      case "handoff:cancelled":
      case "handoff:failed":
        isWriting = false;
        break;
      case "session:starting":
        isWriting = false;
        if (event.mode !== "resumed" && trace.turns.length > 0) after = "handoff";
        break;
      case "compaction":
        if (event.state === "done" && trace.turns.length > 0) after = "compaction";
        break;
      case "response": {
        const now = Date.parse(event.at);
        const { model, usage } = event;
        trace.window = event.context.window || trace.window;
        if (isTold(usage)) {
          if (isWriting) trace.accounts.push({ model, usage });
          else {
            trace.turns.push({ model, usage, ...since(last, now), ...(after && { after }) });
            after = undefined;
          }
        }
        last = now;
        break;
      }
      default:
    }
  }
  return trace;
}

function isTold(usage: TokenUsage | undefined): usage is TokenUsage {
  return usage !== undefined && promptOf(usage) > 0;
}

function since(last: number | undefined, now: number | undefined): Pick<Turn, "tookMs"> {
  return last === undefined || now === undefined ? {} : { tookMs: Math.max(0, now - last) };
}
