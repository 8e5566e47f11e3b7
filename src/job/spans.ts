import type { JobEventType, JournalEvent } from "./events.ts";
import type { Job } from "./job.ts";

/** A part of a job's work, with when it began and ended. Names and attributes are those of OpenTelemetry where it has some. */
export interface Span {
  /** Tells it apart from all others of its job, and is the same whenever it is made again. */
  key: string;
  /** Missing: it is a whole run of the job. */
  parent?: string;
  name: string;
  start: string;
  end: string;
  attributes: Record<string, string | number | boolean>;
  error?: string;
}

/** A job begins to rest, or is over. */
export const ENDINGS = [
  "job:completed",
  "job:failed",
  "job:paused",
  "job:cancelled",
  "job:interrupted",
] as const satisfies JobEventType[];

/** The events that spans are made of. */
export const SPAN_TYPES: readonly JobEventType[] = [
  ...ENDINGS,
  "job:started",
  "job:resumed",
  "session:starting",
  "session:started",
  "session:ended",
  "response",
  "subagent:response",
  "handoff:stored",
];

interface OpenSession {
  start: string;
  attributes: Span["attributes"];
  input: number;
  output: number;
}

/** The run of a job that ended with the last of these events, which begin with its first: its sessions, and what they handed off. */
export function spansOfRun(
  job: Pick<Job, "id" | "agent" | "schedule">,
  events: readonly JournalEvent[],
): Span[] {
  const ending = events.at(-1);
  const [first] = events;
  if (!ending || !first) return [];
  const run = `run ${ending.seq}`;
  const spans: Span[] = [];
  const open = new Map<string, OpenSession>();
  const close = (session: string, end: string, reason: string) => {
    const known = open.get(session);
    if (!known) return;
    open.delete(session);
    spans.push({
      ...{
        key: `session ${session} ${ending.seq}`,
        parent: run,
        name: `invoke_agent ${job.agent}`,
        start: known.start,
        end,
      },
      attributes: {
        ...known.attributes,
        "gen_ai.usage.input_tokens": known.input,
        "gen_ai.usage.output_tokens": known.output,
        "baton.session.end": reason,
      },
    });
  };
  for (const event of events) {
    switch (event.type) {
      case "session:starting":
        open.set(event.session, {
          ...{ start: event.at, input: 0, output: 0 },
          attributes: {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": event.agent ?? job.agent,
            "gen_ai.conversation.id": event.session,
            "baton.job.id": job.id,
            "baton.session.ordinal": event.ordinal,
            "baton.session.mode": event.mode,
            ...(event.runtime !== undefined && { "baton.runtime": event.runtime }),
          },
        });
        break;
      case "session:started": {
        const known = open.get(event.session);
        if (known) known.attributes["gen_ai.request.model"] = event.model;
        break;
      }
      case "response":
      case "subagent:response": {
        const known = open.get(event.session);
        if (!known || !event.usage) break;
        const { input, output, cacheRead, cacheWrite } = event.usage;
        known.input += input + cacheRead + cacheWrite;
        known.output += output;
        known.attributes["gen_ai.response.model"] = event.model;
        break;
      }
      case "session:ended":
        close(event.session, event.at, event.reason);
        break;
      case "handoff:stored":
        spans.push({
          ...{ key: `handoff ${event.handoffNumber}`, parent: run, name: `handoff ${event.handoffNumber}` },
          ...{ start: before(event.at, event.durationMs), end: event.at },
          attributes: {
            "baton.job.id": job.id,
            "baton.handoff.number": event.handoffNumber,
            "baton.handoff.source": event.source,
            "baton.handoff.outcome": event.outcome,
            "gen_ai.conversation.id": event.session,
          },
        });
        break;
    }
  }
  for (const session of [...open.keys()]) close(session, ending.at, "unknown");
  const error = ending.type === "job:failed" ? ending.error : undefined;
  return [
    {
      ...{ key: run, name: `job ${job.agent}`, start: first.at, end: ending.at },
      attributes: {
        "gen_ai.agent.name": job.agent,
        "baton.job.id": job.id,
        "baton.job.status": ending.type.slice("job:".length),
        ...(job.schedule !== null && { "baton.schedule": job.schedule }),
      },
      ...(error !== undefined && { error }),
    },
    ...spans,
  ];
}

function before(at: string, ms: number): string {
  return new Date(Date.parse(at) - ms).toISOString();
}
