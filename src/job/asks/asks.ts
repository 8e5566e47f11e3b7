import type { AgentQuestion, PermissionAnswer } from "../../agents/permission.ts";
import type { JobEvent } from "../events.ts";
import { shortId } from "../id.ts";
import type { Job } from "../job.ts";

/** What becomes of an ask that nobody answers in time. */
type OnTimeout = "pause" | "deny";

/** A call that needs a person's yes, or a question of the agent's own. */
export interface Ask {
  /** Of its job's short id and a number: what people answer it by. */
  ask: string;
  session: string;
  /** Of the tool call. */
  call: string;
  /** The tool's. */
  name: string;
  summary: string;
  /** The whole input of the call, as people read it. */
  input: string;
  /** So many characters at its end are left out. */
  cut?: number;
  /** Of the tool and the whole input as it is: an answer holds for this alone. */
  digest: string;
  /** Why the program asks, in its words. */
  why?: string;
  /** What would allow this call and its like for good, as in `allowed_tools`. */
  rule?: string;
  questions?: AgentQuestion[];
  /** From then on nobody is waited for, and what happens then. */
  until?: string;
  onTimeout?: OnTimeout;
}

/** One that waits. */
export interface OpenAsk extends Ask {
  since: string;
}

/** An answer that came when the program that had asked was closed: it holds for the same call, once, when that is made again. */
export interface LateAnswer {
  ask: string;
  name: string;
  digest: string;
  answer: PermissionAnswer;
}

type Event<T extends JobEvent["type"]> = Extract<JobEvent, { type: T }>;

/** `9dwwek-2`: the second of its job. */
export function askId(job: Pick<Job, "id" | "asked">): string {
  return `${shortId(job.id)}-${(job.asked ?? 0) + 1}`;
}

export function withAsk(job: Job, { type: _, ...ask }: Event<"ask:made">, at: string): Partial<Job> {
  return { asked: (job.asked ?? 0) + 1, asks: [...(job.asks ?? []), { ...pick(ask), since: at }] };
}

/** Without what the envelope of an event adds. */
function pick(made: Ask): Ask {
  const { ask, session, call, name, summary, input, cut, digest, why, rule, questions } = made;
  const { until, onTimeout } = made;
  return {
    ...{ ask, session, call, name, summary, input, digest },
    ...(cut !== undefined && { cut }),
    ...(why !== undefined && { why }),
    ...(rule !== undefined && { rule }),
    ...(questions && { questions }),
    ...(until !== undefined && { until }),
    ...(onTimeout && { onTimeout }),
  };
}

export function withAnswer(job: Job, { ask, answer, rule, late }: Event<"ask:answered">): Partial<Job> {
  const asked = job.asks?.find((each) => each.ask === ask);
  const { name = "", digest = "" } = asked ?? {};
  return {
    ...withoutAsk(job, ask),
    ...(rule !== undefined && { allowed: [...new Set([...(job.allowed ?? []), rule])] }),
    ...(late && asked && { lateAnswers: [...(job.lateAnswers ?? []), { ask, name, digest, answer }] }),
  };
}

export function withoutAsk({ asks = [] }: Job, ask: string): Pick<Job, "asks"> {
  return { asks: asks.filter((each) => each.ask !== ask) };
}

export function withoutLateAnswer({ lateAnswers = [] }: Job, ask: string): Partial<Job> {
  return { lateAnswers: lateAnswers.filter((each) => each.ask !== ask) };
}

/** The command that answers it. */
export function howToAnswer({ ask, questions }: Pick<Ask, "ask" | "questions">): string {
  if (questions) return `baton answer ${ask} ${questions.map(() => '"…"').join(" ")}`;
  return `baton approve ${ask}, or baton deny ${ask} "why"`;
}

export function isAsking({ asks = [] }: Pick<Job, "asks">): boolean {
  return asks.length > 0;
}
