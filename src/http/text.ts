import { type Column, table } from "../display/table.ts";
import { shortDate } from "../display/when.ts";
import { shortId } from "../display/words.ts";
import { money, tokens } from "../util/figures.ts";
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
};

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
      text: ({ costUsd }) => (costUsd === null ? "?" : money(costUsd)),
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
