import { inWords } from "../config/reader/duration.ts";
import type { HookPayload, JobHookEvent, JobPayload } from "./payload.ts";

export type Tone = "good" | "bad" | "waiting" | "plain";

export interface Fact {
  label: string;
  value: string;
  /** The value is an address to go to. */
  link?: true;
}

/** What people are told about an event, before it is put into the form of one service. */
export interface Message {
  tone: Tone;
  title: string;
  facts: Fact[];
  /** The request, the result or the error, in full length. */
  text: string;
}

export function messageOf(payload: HookPayload): Message {
  switch (payload.hook_event_name) {
    case "context_threshold": {
      const { context, session } = payload;
      return {
        tone: "waiting",
        title: `${session.agent_name}: the context window is ${percent(context.usage_percent)} full`,
        facts: [...sessionFacts(session), { label: "Model", value: context.model_name }],
        text: "",
      };
    }
    case "session_start": {
      const { session } = payload;
      return {
        tone: "plain",
        title: session.is_continuation
          ? `${session.agent_name} goes on after handoff ${session.handoff_count}`
          : `${session.agent_name} begins`,
        facts: sessionFacts(session),
        text: "",
      };
    }
    case "handoff": {
      const { handoff, session, context } = payload;
      return {
        tone: "plain",
        title: `${session.agent_name} hands its work on (handoff ${handoff.number})`,
        facts: [
          ...sessionFacts(session),
          ...(context ? [{ label: "Context", value: `${percent(context.usage_percent)} full` }] : []),
          { label: "Document", value: handoff.document_path },
        ],
        text: "",
      };
    }
    default:
      return jobMessage(payload);
  }
}

const HEADLINES: Record<JobHookEvent, { tone: Tone; says: string }> = {
  before_run: { tone: "plain", says: "begins" },
  completed: { tone: "good", says: "has completed its job" },
  failed: { tone: "bad", says: "has failed" },
  timeout: { tone: "bad", says: "ran out of time" },
  cancelled: { tone: "waiting", says: "was cancelled" },
  paused: { tone: "waiting", says: "is paused" },
};

function jobMessage({ event, job, result }: JobPayload): Message {
  const { tone, says } = HEADLINES[event];
  const item = job.work_item;
  return {
    tone,
    title: `${job.agent_name} ${says}`,
    facts: [
      { label: "Agent", value: job.agent_name },
      { label: "Job", value: job.id },
      { label: "Outcome", value: job.status },
      ...(item ? [{ label: "Work item", value: [item.id, item.title].filter(Boolean).join(": ") }] : []),
      ...(job.duration_ms === undefined ? [] : [{ label: "Duration", value: inWords(job.duration_ms) }]),
      { label: "Cost", value: `$${job.cost_usd.toFixed(2)}` },
      { label: "Handoffs", value: String(job.handoffs) },
      ...(job.branch === undefined ? [] : [{ label: "Branch", value: job.branch }]),
      ...(job.pull_request === undefined ? [] : [pullRequest(job.pull_request)]),
    ],
    text: (result ? (result.error ?? result.output) : job.prompt).trim(),
  };
}

/** Longer ones would have to be cut, and lead nowhere. */
const LONGEST_LINK = 300;

function pullRequest(address: string): Fact {
  const url = URL.parse(address);
  const isLink = url !== null && /^https?:$/.test(url.protocol) && url.href.length <= LONGEST_LINK;
  return { label: "Pull request", ...(isLink ? { value: url.href, link: true } : { value: address }) };
}

function sessionFacts(session: { agent_name: string; job_id: string; branch_name?: string }): Fact[] {
  return [
    { label: "Agent", value: session.agent_name },
    { label: "Job", value: session.job_id },
    ...(session.branch_name === undefined ? [] : [{ label: "Branch", value: session.branch_name }]),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** So much of a text that its escaped form, with an ellipsis where it is cut, has at most `limit` characters. */
export function shortened(text: string, limit: number, escaped = (character: string) => character): string {
  const parts: string[] = [];
  let length = 0;
  // By characters, not code units: half of an emoji is no text.
  for (const character of text) {
    const part = escaped(character);
    if (length + part.length > limit) {
      while (length > limit - 1) length -= parts.pop()?.length ?? 0;
      return `${parts.join("")}…`;
    }
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
