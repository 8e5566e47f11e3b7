import type { Generated } from "kysely";
import type { CostBasis, JobStatus } from "../job/job.ts";
import type { TimeKind } from "../job/time-split.ts";

/** What another process can ask of a job's owner. */
export type RequestKind =
  | "cancel"
  | "handoff"
  | "call-off"
  | "handoff-now"
  | "messages"
  | "answers"
  | "interrupt"
  | "pause";

/** How a claim of an item of work ended. */
export type ClaimEnd = "done" | "released" | "failed";

/**
 * `claiming`: somebody here is about to enter a claim, or has. `claimed`: it is known to be entered. `ending`: how it ends is
 * decided, and may not be entered yet.
 */
export type ItemState = "free" | "claiming" | "claimed" | "ending" | ClaimEnd;

/** When a session hears what it is sent: at its next boundary, when its turn is over, or when the job would be. */
export type Moment = "boundary" | "turn" | "end";

export type ConversationKind = "talk" | "follow" | "result";

/** Where the time of a job went, or of many. */
export type TimeColumns = Record<`${TimeKind}_ms`, number>;

/** What is added up over jobs. */
export interface Figures extends TimeColumns {
  turns: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  cost_usd: number;
  simulated_usd: number;
  /** 1 where it is known where its time went. */
  timed: number;
}

/** What models came to. */
export interface SpendColumns {
  cost_usd: number;
  simulated_usd: number;
  estimated_usd: number;
  unknown: number;
  responses: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

/** JSON columns are text in every database. */
export interface Tables {
  jobs: Figures & {
    /** In the order in which they came into this store. */
    number: Generated<number>;
    id: string;
    agent: string;
    created_at: string;
    /** How often the job was claimed. Whoever writes with an older number is refused. */
    attempt: number;
    owner: string | null;
    /** Of the last event. */
    seq: number;
    status: JobStatus;
    updated_at: string;
    finished_at: string | null;
    epic: string | null;
    /** The job that it is a retry or a fork of. */
    parent: string | null;
    /** How many are stored. */
    handoffs: number;
    /** What of the job's workspace is Baton's to remove: `worktree`, or only its `branch`. */
    leaves: string | null;
    /** 0 once the job is completing and takes no further message. */
    hears: Generated<number>;
    cost_basis: CostBasis;
    /** The `seq` up to which the figures are. A Baton that knows no figures leaves it behind. */
    figures_of: number;
    /** The fold of all events up to `seq`, with the columns from `status` on taken from it. Null means: fold them again. */
    snapshot: string | null;
  };
  /** What the jobs of an agent add up to that are in one state. The database keeps it with every write of a job. */
  job_sums: Figures & {
    agent: string;
    status: JobStatus;
    cost_basis: CostBasis;
    jobs: number;
  };
  /** Which jobs have a text in their request: an index without the text itself. */
  job_text: {
    /** The number of a job. */
    rowid: number;
    /** What to look for, in a condition. */
    job_text: string;
  };
  /** The files that tools of agents wrote, by the journal. The database keeps it with every event. */
  written_files: {
    job: string;
    path: string;
  };
  events: {
    /** Increases over all jobs, in the order in which events became durable. */
    id: Generated<number>;
    job: string;
    seq: number;
    at: string;
    attempt: number;
    /** Of its shape, as `job/event-versions.ts` counts them. */
    version: number;
    type: string;
    data: string;
  };
  /** The session that the next job of an agent can go on in. */
  kept_sessions: {
    agent: string;
    /** Empty where the agent works in one folder, on whatever there is. */
    work_item: string;
    session: string;
    job: string;
    folder: string;
    program: string;
    expires_at: string;
  };
  /** What people sent to a job and no session is known to have heard. */
  messages: {
    id: Generated<number>;
    job: string;
    text: string;
    moment: Moment;
    at: string;
    /** The session that it was sent to. Until that is known to have it, the row stays. */
    session: string | null;
  };
  /** What waits for a person's answer, and waited. The journal says what it is. */
  asks: {
    /** Of its job's short id, which two jobs can have alike. */
    id: string;
    job: string;
    at: string;
    /** From then on nobody is waited for. */
    until: string | null;
    /** `kept`: its program was closed, and its job rests until the answer. `closed`: it is over, and the journal says how. */
    state: "open" | "kept" | "closed";
    /** As JSON. Written once. */
    answer: string | null;
    answered_at: string | null;
  };
  /** How often calls were denied that a rule would have allowed, a day, agent and rule each. */
  denials: {
    day: string;
    agent: string;
    /** As in `allowed_tools`. */
    rule: string;
    count: number;
  };
  /** What a person took out of the inbox. */
  inbox_done: {
    /** Of those rows that may have no other end. */
    kind: "circles" | "failed" | "schedule" | "review" | "work";
    /** A job, or a schedule with its agent. */
    id: string;
    /** Null where it is of none. */
    job: string | null;
    /** As it was then: once it is another, it is in the inbox again. */
    state: string;
    at: string;
  };
  /**
   * The jobs that the fleet is to run, as long as that is so: those that wait for a slot, and those that have one. What a
   * killed fleet left in here, the next one continues.
   */
  queue: {
    job: string;
    agent: string;
    /** The higher, the sooner. */
    priority: number;
    /** Of those alike the lower comes first. */
    place: number;
    /** Ids of jobs that must be completed first, as JSON. */
    after: string | null;
    queued_at: string;
    /** Why the fleet could not start it, and until when it does not try again. */
    held: string | null;
    held_until: string | null;
    /** Of jobs with the same one, only one runs at a time. */
    serial: string | null;
  };
  /** When each schedule of an agent is due next. */
  schedules: {
    agent: string;
    name: string;
    definition: string;
    next_due: string | null;
    paused_at: string | null;
    /** Null: until somebody resumes it. */
    paused_until: string | null;
  };
  /** What became of every due time: of `count` in a row, from `first_due` to `due`. */
  fires: {
    id: Generated<number>;
    agent: string;
    schedule: string;
    first_due: string;
    due: string;
    count: number;
    outcome: string;
    reason: string | null;
    job: string | null;
    at: string;
  };
  /** What models came to, a quarter of an hour, agent and model each: the sum of what all jobs have cost. */
  spend: SpendColumns & {
    /** When it began, in UTC. */
    quarter: string;
    agent: string;
    model: string;
  };
  /** The same from the beginning. The database keeps it with every write of the former. */
  spend_sums: SpendColumns & {
    agent: string;
    model: string;
  };
  /** What is known of items of work sources, and which jobs here have them. Whether a claim holds is not decided here alone. */
  work_items: {
    source: string;
    item: string;
    epoch: number;
    state: ItemState;
    holder: string;
    claim: string | null;
    job: string | null;
    agent: string | null;
    /** A process, as JSON. */
    owner: string | null;
    lease_until: string | null;
    attempts: number;
    ending: ClaimEnd | null;
    /** The item as it was last read, as JSON. */
    seen: string | null;
    ignored_at: string | null;
    mark: string | null;
    marked: string | null;
  };
  /** Trackers that work is taken from, as the fleet knows them. */
  work_sources: {
    name: string;
    polled_at: string | null;
    next_at: string | null;
    budget: string | null;
    problem: string | null;
    problem_since: string | null;
    shown: string;
    /** 1: somebody wants it to be asked now. */
    asked: number;
  };
  /** Threads of chat services, each with the job that serves it. */
  conversations: {
    /** Of its place, and for what only follows a job that too. */
    key: string;
    /** `talk`: people take part. The others only hear: `follow` all that a job says, `result` what it comes to. */
    kind: ConversationKind;
    /** As JSON. */
    place: string;
    service: string;
    agent: string;
    job: string | null;
    /** The one that hears what is said next. It changes with the journal. */
    session: string | null;
    /** Up to which event of the job people know what happened, or it is in the outbox. */
    told_seq: number;
    last_at: string;
    /** What is said then begins another job. */
    ended_at: string | null;
    /** Nonces of messages that show texts as they come, until those are complete. */
    live: string | null;
    /** The message that shows what the agent is doing, as JSON. */
    status: string | null;
  };
  /** What a chat service told: on record before it is acknowledged, and kept for a while to know it again. */
  chat_events: {
    id: string;
    at: string;
    conversation: string;
    /** As JSON, until it is done. */
    event: string | null;
    done_at: string | null;
  };
  /** What is to be said in a conversation. */
  chat_outbox: {
    id: Generated<number>;
    conversation: string;
    /** Null where it is of none. */
    job: string | null;
    /** What it says, such as an event of a job: nothing is said twice. */
    source: string;
    /** By which the service knows it again. */
    nonce: string;
    /** As JSON. */
    said: string;
    /** 1: a message may be there already that showed it as it came. */
    is_live: number;
    at: string;
    /** Where it is. */
    ref: string | null;
    sent_at: string | null;
  };
  /** Texts that people wait for and of which the journal has only a part, until they are in the outbox. */
  long_texts: {
    job: string;
    seq: number;
    text: string;
  };
  requests: {
    id: Generated<number>;
    job: string;
    kind: RequestKind;
    payload: string;
    at: string;
    taken_at: string | null;
  };
}
