import type { AgentQuestion } from "../../agents/permission.ts";

/** What can wait for a person, the most expensive first. */
export const INBOX_KINDS = [
  "approval",
  "question",
  "stall",
  "circles",
  "configuration",
  "work",
  "paused",
  "failed",
  "schedule",
  "review",
  "denied",
] as const;

type InboxKind = (typeof INBOX_KINDS)[number];

/** Something that waits for a person, as every face shows it: its keys are a promise to users. */
export interface InboxRow {
  kind: InboxKind;
  /** By which its commands name it: an ask, a job, a schedule, or a file. */
  id: string;
  /** On one line. */
  title: string;
  agent?: string;
  /** The jobs that it is about. */
  jobs: string[];
  /** The work item that has changed under its job. */
  item?: { source: string; id: string };
  since: string;
  /** Why it is here, in words: what happened, and when. */
  why: { at: string; text: string }[];
  /** What waiting costs: `slot`, nothing else can run in its place; `work`, it goes no further; `nothing`. */
  costs: "slot" | "work" | "nothing";
  /** The whole of what is asked. */
  ask?: InboxAsk;
  /** What can be done about it. */
  actions: { does: string; command: string }[];
}

interface InboxAsk {
  tool: string;
  /** The whole input of the call, or as much of it as can be shown. */
  input: string;
  /** So many characters are left out at its end. */
  cut?: number;
  /** Why the agent's program asks. */
  why?: string;
  /** What would allow this call and its like for good, as in `allowed_tools`. */
  rule?: string;
  questions?: AgentQuestion[];
  until?: string;
  /** Of the call: an answer that names it holds for what was shown alone. */
  digest: string;
  /** What else the same answer of the model calls, and its program has not asked about yet. */
  calls?: string[];
}
