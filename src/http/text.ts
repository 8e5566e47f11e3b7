import { type Column, table } from "../display/table.ts";
import { shortDate } from "../display/when.ts";
import { shortId } from "../display/words.ts";
import { age, money, tokens } from "../util/figures.ts";
import { printable } from "../util/printable.ts";
import type { AnswerOf } from "./contract.ts";
import type { OperationName } from "./operations.ts";

type Texts = { [K in OperationName]?: (answer: AnswerOf<K>, now: Date) => string };
type ListedJob = AnswerOf<"listJobs">["jobs"][number];
type Head = AnswerOf<"listEvents">["events"][number];
type Queued = AnswerOf<"getFleet">["projects"][number]["queue"][number];

const WIDTH = 120;

/** For a person with `curl`: what they ask for without saying that it is to be JSON. */
export const TEXTS: Texts = {
  getFleet: ({ projects, halted }, now) =>
    [
      ...(halted ? [`halted since ${shortDate(halted.since, now)}: nothing starts`] : []),
      ...projects.map((each) => ofProject(each, now)),
    ].join("\n\n"),
  listJobs: ({ jobs, next }, now) =>
    [
      jobs.length === 0 ? "No jobs." : table(jobs, jobColumns(now), WIDTH).join("\n"),
      ...(next === undefined ? [] : [`more: ?after=${next}`]),
    ].join("\n"),
  listEvents: ({ events, earlier, later }) =>
    [
      ...(earlier === undefined ? [] : [`older: ?before=${earlier}`]),
      events.length === 0 ? "No events." : table(events, EVENTS, WIDTH).join("\n"),
      ...(later === undefined ? [] : [`newer: ?after=${later}`]),
    ].join("\n"),
  listInbox: ({ inbox }, now) => listed(inbox, inboxColumns(now), "Nothing needs you."),
  listSchedules: ({ schedules }, now) => listed(schedules, scheduleColumns(now), "No schedules."),
  listAgents: ({ agents }) => listed(agents, AGENTS, "No agents."),
  getCost: ({ projects }) => projects.map(costsOf).join("\n\n"),
  listWorkspaces: ({ workspaces }) => listed(workspaces, WORKSPACES, "No worktrees and no branches."),
  listOwnSessions: ({ sessions }, now) => listed(sessions, sessionColumns(now), "No sessions."),
};

function listed<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  return rows.length === 0 ? none : table(rows, columns, WIDTH).join("\n");
}

function inboxColumns(now: Date): Column<AnswerOf<"listInbox">["inbox"][number]>[] {
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "KIND", text: ({ kind }) => kind },
    { title: "AGENT", text: ({ agent = "" }) => agent },
    { title: "SINCE", text: ({ since }) => shortDate(since, now) },
    { title: "WHAT", text: ({ title }) => title },
  ];
}

function scheduleColumns(now: Date): Column<AnswerOf<"listSchedules">["schedules"][number]>[] {
  return [
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "SCHEDULE", text: ({ name }) => name },
    { title: "WHEN", text: ({ when }) => when },
    { title: "STATE", text: ({ state }) => state },
    { title: "NEXT", text: ({ next }) => (next === undefined ? "" : shortDate(next, now)) },
    { title: "LAST", text: ({ last }) => (last ? `${shortDate(last.due, now)} ${last.outcome}` : "") },
  ];
}

const AGENTS: Column<AnswerOf<"listAgents">["agents"][number]>[] = [
  { title: "AGENT", text: ({ name }) => name },
  { title: "RUNTIME", text: ({ runtime, model }) => (model === undefined ? runtime : `${runtime} ${model}`) },
  { title: "SLOTS", text: ({ slots }) => `${slots.taken}/${slots.total}`, align: "right" },
  { title: "QUEUED", text: ({ queued }) => String(queued), align: "right" },
  { title: "COMPLETED", text: ({ counts }) => String(counts.completed ?? 0), align: "right" },
  { title: "FAILED", text: ({ counts }) => String(counts.failed ?? 0), align: "right" },
  {
    title: "USUALLY",
    text: ({ usual }) => (usual ? `${age(usual.durationMs)} ${costText(usual.costUsd)}` : ""),
    spare: 2,
  },
  { title: "STATE", text: ({ isPaused }) => (isPaused ? "paused" : "") },
];

type Costs = AnswerOf<"getCost">["projects"][number];

function costsOf({ by, rows, total }: Costs): string {
  const columns: Column<Costs["rows"][number]>[] = [
    {
      title: by.toUpperCase(),
      text: ({ day, agent, job, model }) => day ?? agent ?? (job && shortId(job)) ?? model ?? "all",
    },
    { title: "RESPONSES", text: ({ responses }) => String(responses), align: "right" },
    { title: "COST", text: ({ costUsd }) => costText(costUsd), align: "right" },
  ];
  return table([...rows, total], columns, WIDTH).join("\n");
}

function costText(usd: number | null): string {
  return usd === null ? "?" : money(usd);
}

const WORKSPACES: Column<AnswerOf<"listWorkspaces">["workspaces"][number]>[] = [
  { title: "JOB", text: ({ job }) => shortId(job) },
  { title: "STATUS", text: ({ status }) => status },
  { title: "HAS", text: ({ has }) => has ?? "" },
  { title: "BRANCH", text: ({ branch }) => branch ?? "" },
  { title: "ACTION", text: ({ action }) => action },
  { title: "BECAUSE", text: ({ reason }) => reason },
];

function sessionColumns(now: Date): Column<AnswerOf<"listOwnSessions">["sessions"][number]>[] {
  return [
    { title: "SESSION", text: ({ id }) => id.slice(0, 8) },
    { title: "STATE", text: ({ state }) => state },
    { title: "STARTED", text: ({ startedAt }) => shortDate(startedAt, now) },
    {
      title: "WINDOW",
      text: ({ context }) => (context ? `${tokens(context.tokens)}/${tokens(context.window)}` : ""),
      align: "right",
    },
    { title: "FOLDER", text: ({ cwd }) => cwd },
    { title: "WHAT", text: ({ title, prompt = "" }) => title ?? prompt },
  ];
}

function ofProject(
  { name, state, slots, isPaused, running, queue }: AnswerOf<"getFleet">["projects"][number],
  now: Date,
): string {
  const taken = slots ? `, ${slots.taken} of ${slots.total} slots taken` : "";
  const head = `${printable(name)}: ${state}${taken}${isPaused ? ", queue paused" : ""}`;
  const runs = table(
    running,
    [
      { title: "RUNS", text: ({ job }) => shortId(job) },
      { title: "AGENT", text: ({ agent }) => agent },
      { title: "SINCE", text: ({ since }) => shortDate(since, now) },
    ],
    WIDTH,
  );
  const waits = table(queue, QUEUE, WIDTH);
  return [head, ...(running.length > 0 ? runs : []), ...(queue.length > 0 ? waits : [])].join("\n");
}

const QUEUE: Column<Queued>[] = [
  { title: "WAITS", text: ({ job }) => shortId(job) },
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "PRIORITY", text: ({ priority }) => String(priority), align: "right" },
  { title: "BECAUSE", text: ({ reason }) => reason.text },
];

function jobColumns(now: Date): Column<ListedJob>[] {
  return [
    { title: "JOB", text: ({ id }) => shortId(id) },
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "STATUS", text: ({ status }) => status },
    { title: "STARTED", text: ({ createdAt }) => shortDate(createdAt, now) },
    { title: "WINDOW", text: windowOf, align: "right", spare: 2 },
    {
      title: "COST",
      text: ({ costUsd }) => costText(costUsd),
      align: "right",
      spare: 1,
    },
    { title: "REQUEST", text: (job) => ("title" in job ? job.title : job.prompt) },
  ];
}

function windowOf(job: ListedJob): string {
  if (!("title" in job) || !job.context) return "";
  return `${tokens(job.context.tokens)}/${tokens(job.context.window)}`;
}

const EVENTS: Column<Head>[] = [
  { title: "SEQ", text: ({ seq }) => String(seq), align: "right" },
  { title: "AT", text: ({ at }) => at },
  { title: "TYPE", text: ({ type }) => type },
  { title: "WHAT", text: ({ title = "", text = "" }) => `${title} ${text}` },
];
