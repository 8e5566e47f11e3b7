import type { AgentQuestion } from "../../agents/agent.ts";
import { inWords } from "../../config/reader/duration.ts";
import type { OpenAsk } from "../../job/asks/asks.ts";
import { agentNow, type Job } from "../../job/job.ts";
import { counted } from "../../util/figures.ts";
import { fingerprint } from "../../util/fingerprint.ts";
import { oneLine } from "../../util/printable.ts";
import { DAY_MS } from "../../util/time.ts";

/** What can wait for a person, the most expensive first. */
const INBOX_KINDS = [
  "approval",
  "question",
  "stall",
  "configuration",
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

/** All that the inbox is made from. */
export interface InboxFacts {
  /** Jobs with asks that nobody has answered. */
  asking: readonly Job[];
  /** The asks of these that somebody has answered meanwhile. */
  answered: ReadonlySet<string>;
  /** At work, and thought to be stuck. */
  stalled: readonly Job[];
  paused: readonly Job[];
  failed: readonly Job[];
  /** Completed, and what they made is still to be looked at. */
  toReview: readonly Job[];
  missed: readonly MissedSchedule[];
  /** What agents were denied again and again, and no rule allows yet. */
  denied: readonly { agent: string; rule: string; times: number; since: string }[];
  /** Why the configuration cannot be used. */
  brokenConfig?: { file: string; message: string; since: string };
}

export interface MissedSchedule {
  agent: string;
  schedule: string;
  firstDue: string;
  due: string;
  count: number;
  reason: string | null;
  at: string;
}

/** How many of them wait for the person: a rule that could be added does not. */
export function needing(rows: readonly InboxRow[]): number {
  return rows.filter(({ kind }) => kind !== "denied").length;
}

const RECENT_MS = 7 * DAY_MS;

/** What failed or was missed longer ago, somebody has seen. */
export function isRecent(at: string, now: Date): boolean {
  return now.getTime() - Date.parse(at) <= RECENT_MS;
}

/** Who needs a person, and for what: what waiting costs most comes first, and of that the oldest. */
export function inboxRows(facts: InboxFacts): InboxRow[] {
  const rows = [
    ...facts.asking.flatMap((job) =>
      (job.asks ?? []).filter(({ ask }) => !facts.answered.has(ask)).map((ask) => askRow(job, ask)),
    ),
    ...facts.stalled.flatMap(stallRow),
    ...(facts.brokenConfig ? [configRow(facts.brokenConfig)] : []),
    ...facts.paused.filter(({ pauseCode }) => pauseCode !== "asking").map(pausedRow),
    ...failedRows(facts.failed),
    ...facts.missed.map(missedRow),
    ...facts.toReview.map(reviewRow),
    ...facts.denied.map(deniedRow),
  ];
  return rows.toSorted(
    (a, b) =>
      COSTS.indexOf(a.costs) - COSTS.indexOf(b.costs) ||
      INBOX_KINDS.indexOf(a.kind) - INBOX_KINDS.indexOf(b.kind) ||
      (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  );
}

const COSTS: readonly InboxRow["costs"][] = ["slot", "work", "nothing"];

function askRow(job: Job, ask: OpenAsk): InboxRow {
  const { name, summary, input, cut, why, rule, questions, until, since } = ask;
  const [question] = questions ?? [];
  const title = question ? question.question : `${name} ${summary}`;
  const asked = new Set((job.asks ?? []).map((each) => each.call));
  const others = job.tools
    .filter(({ id }) => !asked.has(id))
    .map((tool) => oneLine(`${tool.name} ${tool.summary}`));
  return {
    kind: question ? "question" : "approval",
    id: ask.ask,
    title: oneLine(title),
    agent: agentNow(job),
    jobs: [job.id],
    since,
    why: [{ at: since, text: question ? "the agent asks" : (why ?? "its permissions do not allow it") }],
    // Its program waits, or is closed and has left its slot.
    costs: job.status === "running" ? "slot" : "work",
    ask: {
      ...{ tool: name, input, digest: ask.digest },
      ...(cut !== undefined && { cut }),
      ...(why !== undefined && { why }),
      ...(rule !== undefined && { rule }),
      ...(questions && { questions }),
      ...(until !== undefined && { until }),
      ...(others.length > 0 && { calls: others }),
    },
    actions: question ? questionActions(ask) : callActions(ask),
  };
}

function callActions({ ask, rule }: OpenAsk): InboxRow["actions"] {
  return [
    { does: "allow this call", command: `baton approve ${ask}` },
    ...(rule === undefined
      ? []
      : [{ does: `allow ${oneLine(rule)} from now on`, command: `baton approve ${ask} --always` }]),
    { does: "say no, and why", command: `baton deny ${ask} "…"` },
  ];
}

function questionActions({ ask, questions = [] }: OpenAsk): InboxRow["actions"] {
  const answers = questions.map(() => '"…"').join(" ");
  return [
    {
      does: "answer, in your words or by the number of an option",
      command: `baton answer ${ask} ${answers}`,
    },
    { does: "let the agent decide", command: `baton deny ${ask}` },
  ];
}

function stallRow(job: Job): InboxRow[] {
  const { id, stall } = job;
  if (!stall) return [];
  const tool = stall.tool === undefined ? "" : `, while ${oneLine(stall.tool)} runs`;
  const text = `no sign of life for ${inWords(stall.quietMs)}${tool}`;
  return [
    {
      ...{ kind: "stall", id, title: text, agent: agentNow(job), jobs: [id], since: stall.at, costs: "slot" },
      why: [{ at: stall.at, text }],
      actions: [
        { does: "see what it does", command: `baton show ${id} --why` },
        { does: "let it rest at its next boundary", command: `baton pause ${id}` },
        { does: "end it", command: `baton cancel ${id}` },
      ],
    },
  ];
}

function pausedRow(job: Job): InboxRow {
  return {
    ...aboutJob(job, "paused"),
    costs: "work",
    actions: [
      { does: "continue it", command: `baton resume ${job.id}` },
      { does: "see what led to it", command: `baton show ${job.id} --why` },
      { does: "end it", command: `baton cancel ${job.id}` },
    ],
  };
}

/** Those that failed in the same way are one row. */
function failedRows(failed: readonly Job[]): InboxRow[] {
  const alike = Map.groupBy(failed, ({ agent, error }) => `${agent}\0${fingerprint(error ?? "")}`);
  return [...alike.values()].flatMap((jobs) => {
    const newest = jobs.reduce((last, job) => (job.updatedAt > last.updatedAt ? job : last));
    const oldest = jobs.reduce((first, job) => (job.updatedAt < first.updatedAt ? job : first));
    const row = aboutJob(newest, "failed");
    const many = jobs.length > 1 ? `${counted(jobs.length, "job")} failed in the same way: ` : "";
    return [
      {
        ...row,
        title: `${many}${row.title}`,
        jobs: jobs.map(({ id }) => id),
        since: oldest.updatedAt,
        costs: "work" as const,
        actions: [
          { does: "continue it", command: `baton resume ${newest.id}` },
          { does: "see what led to it", command: `baton show ${newest.id} --why` },
        ],
      },
    ];
  });
}

function aboutJob(job: Job, kind: "paused" | "failed"): Omit<InboxRow, "costs" | "actions"> {
  const { id, updatedAt, error } = job;
  const [line = ""] = (error ?? "").trim().split("\n");
  return {
    ...{ kind, id, title: oneLine(line), agent: agentNow(job), jobs: [id], since: updatedAt },
    why: [{ at: updatedAt, text: oneLine(error ?? "") }],
  };
}

function reviewRow(job: Job): InboxRow {
  const { id, prompt, finishedAt, updatedAt, workspace } = job;
  const since = finishedAt ?? updatedAt;
  const branch = workspace?.branch;
  const where = workspace?.proposal ?? branch ?? workspace?.path ?? "";
  return {
    kind: "review",
    id,
    title: oneLine(prompt),
    agent: agentNow(job),
    jobs: [id],
    since,
    why: [{ at: since, text: `completed: ${oneLine(where)}` }],
    costs: "nothing",
    actions: [
      { does: "see what it changed", command: `baton diff ${id}` },
      { does: "read its report", command: `baton show ${id}` },
    ],
  };
}

function missedRow({ agent, schedule, due, count, reason, at }: MissedSchedule): InboxRow {
  return {
    kind: "schedule",
    id: `${agent}/${schedule}`,
    title: `${schedule} of ${agent} was missed${count > 1 ? ` ${counted(count, "time")}` : ""}`,
    agent,
    jobs: [],
    since: due,
    why: [{ at, text: oneLine(reason ?? "nobody was there to start it") }],
    costs: "nothing",
    actions: [
      { does: "run it now", command: `baton schedules run ${agent} ${schedule}` },
      { does: "see what became of its times", command: `baton schedules history ${agent} ${schedule}` },
    ],
  };
}

function deniedRow({ agent, rule, times, since }: InboxFacts["denied"][number]): InboxRow {
  const id = `${agent}:${rule}`;
  return {
    kind: "denied",
    id,
    title: `${oneLine(rule)} was denied ${counted(times, "time")} this week: allow it?`,
    agent,
    jobs: [],
    since,
    why: [{ at: since, text: `no rule of ${agent} allows it` }],
    costs: "nothing",
    actions: [
      { does: "show the line for baton.yaml, and add it", command: `baton approve '${id}' --always` },
    ],
  };
}

function configRow({ file, message, since }: NonNullable<InboxFacts["brokenConfig"]>): InboxRow {
  const [line = ""] = message.split("\n");
  return {
    kind: "configuration",
    id: file,
    title: oneLine(line),
    jobs: [],
    since,
    why: [{ at: since, text: oneLine(message) }],
    costs: "work",
    actions: [{ does: "see all that is wrong with it", command: "baton config check" }],
  };
}
