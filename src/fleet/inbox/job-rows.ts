import { inWords } from "../../config/reader/duration.ts";
import type { OpenAsk } from "../../job/asks/asks.ts";
import { agentNow, type Job } from "../../job/job.ts";
import { headline } from "../../job/status-words.ts";
import { circlesInWords } from "../../job/watchdog/words.ts";
import { counted } from "../../util/figures.ts";
import { fingerprint } from "../../util/fingerprint.ts";
import { oneLine } from "../../util/printable.ts";
import type { InboxRow } from "./row.ts";

export function askRow(job: Job, ask: OpenAsk): InboxRow {
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

export function stallRow(job: Job): InboxRow[] {
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

/** What it does over and over: it stops nothing, and may go on for as long as its budget lasts. */
export function circlesRow(job: Job): InboxRow[] {
  const { id, circles = [] } = job;
  const newest = circles.at(-1);
  if (!newest) return [];
  return [
    {
      ...{ kind: "circles", id, title: circlesInWords(newest), agent: agentNow(job), jobs: [id] },
      ...{ since: circles[0]?.at ?? newest.at, costs: "slot" },
      why: circles.map((circle) => ({ at: circle.at, text: circleInWords(circle) })),
      actions: [
        { does: "see what it does", command: `baton logs ${id}` },
        { does: "tell it what you see", command: `baton send ${id} "…"` },
        { does: "let it rest at its next boundary", command: `baton pause ${id}` },
        done(id),
      ],
    },
  ];
}

function circleInWords(circle: NonNullable<Job["circles"]>[number]): string {
  const began = circle.since === undefined ? "" : `, since event ${circle.since}`;
  return `${circlesInWords(circle)}${began}`;
}

/** Takes a row away that nothing else would. */
export function done(id: string): InboxRow["actions"][number] {
  return { does: "take it out of the inbox until it changes", command: `baton inbox done ${id}` };
}

export function pausedRow(job: Job): InboxRow {
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
export function failedRows(failed: readonly Job[]): InboxRow[] {
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
          done(newest.id),
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

export function reviewRow(job: Job): InboxRow {
  const { id, finishedAt, updatedAt, workspace } = job;
  const since = finishedAt ?? updatedAt;
  const branch = workspace?.branch;
  const where = workspace?.proposal ?? branch ?? workspace?.path ?? "";
  return {
    kind: "review",
    id,
    title: oneLine(headline(job)),
    agent: agentNow(job),
    jobs: [id],
    since,
    why: [{ at: since, text: `completed: ${oneLine(where)}` }],
    costs: "nothing",
    actions: [
      { does: "see what it changed", command: `baton diff ${id}` },
      { does: "read its report", command: `baton show ${id}` },
      done(id),
    ],
  };
}
