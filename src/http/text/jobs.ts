import { type Column, table } from "../../display/table.ts";
import { longDate, shortDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { counted, tokens } from "../../util/figures.ts";
import { printable } from "../../util/printable.ts";
import type { AnswerOf } from "../contract.ts";
import { costText, listed, type Texts, WIDTH } from "./listed.ts";

type ListedJob = AnswerOf<"listJobs">["jobs"][number];
type Job = AnswerOf<"getJob">;
type Head = AnswerOf<"listEvents">["events"][number];

/** Jobs, and what each of them did. */
export const JOB_TEXTS = {
  listJobs: ({ jobs, next }, now) =>
    [listed(jobs, jobColumns(now), "No jobs."), ...(next === undefined ? [] : [`more: ?after=${next}`])].join(
      "\n",
    ),
  getJob: ofJob,
  getWhy: ({ status, because, queued, events }) =>
    [
      [status, because ?? queued?.reason.text].filter(Boolean).map(String).map(printable).join(": "),
      table(events, EVENTS, WIDTH).join("\n"),
    ].join("\n"),
  listEvents: ({ events, earlier, later }) =>
    [
      ...(earlier === undefined ? [] : [`older: ?before=${earlier}`]),
      listed(events, EVENTS, "No events."),
      ...(later === undefined ? [] : [`newer: ?after=${later}`]),
    ].join("\n"),
  listCheckpoints: ({ checkpoints }) => listed(checkpoints, CHECKPOINTS, "No checkpoints."),
  getDiff: ({ job, files, note, patch, cut }) =>
    [
      ...(note === undefined ? [] : [printable(note)]),
      patch === undefined ? listed(files, FILES, `${job} changed no file.`) : printable(patch).trimEnd(),
      ...(cut === undefined ? [] : [`… (${cut} more bytes)`]),
    ].join("\n"),
  getHandoff: ({ document }) => printable(document).trimEnd(),
  exportJob: ({ html }) => html.trimEnd(),
  listMessages: ({ waiting, told }, now) =>
    listed(
      [
        ...told.map(({ id, text, toldAt }) => ({ id, text, when: `heard ${shortDate(toldAt, now)}` })),
        ...waiting.map(({ id, text, at }) => ({ id, text, when: `waits for the ${at}` })),
      ],
      MESSAGES,
      "No messages.",
    ),
} satisfies Texts;

/** What a person asks first; the JSON has the rest. */
function ofJob(job: Job, now: Date): string {
  const { id, agent, status, prompt, workspace, sessions, handoffs, createdAt, result, error } = job;
  const facts = [
    ["agent", agent],
    ["started", longDate(createdAt)],
    ["branch", workspace?.branch],
    ["folder", workspace?.path],
    ["cost", costText(job)],
    ["waits", job.queued?.reason.text],
  ].filter(([, text]) => text !== undefined);
  return [
    `${id}  ${status}`,
    ...facts.map(([name, text]) => `${`${name}:`.padEnd(9)}${printable(text ?? "")}`),
    "",
    printable(prompt).trimEnd(),
    ...(sessions.length === 0 ? [] : ["", table(sessions, SESSIONS, WIDTH).join("\n")]),
    ...(handoffs.length === 0 ? [] : ["", table(handoffs, handoffColumns(now), WIDTH).join("\n")]),
    ...[error, result].flatMap((text) => (text ? ["", printable(text).trimEnd()] : [])),
  ].join("\n");
}

const SESSIONS: Column<Job["sessions"][number]>[] = [
  { title: "SESSION", text: ({ ordinal }) => String(ordinal), align: "right" },
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "MODEL", text: ({ model }) => model ?? "" },
  {
    title: "PEAK",
    text: ({ peakTokens, contextWindow }) =>
      peakTokens === null
        ? ""
        : `${tokens(peakTokens)}${contextWindow === null ? "" : `/${tokens(contextWindow)}`}`,
    align: "right",
  },
  { title: "TURNS", text: ({ turns }) => String(turns), align: "right" },
  { title: "END", text: ({ endReason }) => endReason ?? "" },
];

function handoffColumns(now: Date): Column<Job["handoffs"][number]>[] {
  return [
    { title: "HANDOFF", text: ({ number }) => String(number), align: "right" },
    { title: "AT", text: ({ storedAt }) => shortDate(storedAt, now) },
    { title: "TRIGGER", text: ({ trigger }) => trigger },
    { title: "OUTCOME", text: ({ outcome }) => outcome },
    {
      title: "CHECKS",
      text: ({ checks }) => `${checks.filter(({ ok }) => ok).length} of ${counted(checks.length, "check")}`,
    },
  ];
}

const CHECKPOINTS: Column<AnswerOf<"listCheckpoints">["checkpoints"][number]>[] = [
  { title: "NUMBER", text: ({ number }) => String(number), align: "right" },
  { title: "AT", text: ({ at }) => longDate(at) },
  { title: "COMMIT", text: ({ commit }) => commit.slice(0, 9) },
  { title: "SUBJECT", text: ({ subject }) => subject },
];

const FILES: Column<AnswerOf<"getDiff">["files"][number]>[] = [
  { title: "ADDED", text: ({ added }) => (added === null ? "binary" : `+${added}`), align: "right" },
  { title: "REMOVED", text: ({ removed }) => (removed === null ? "" : `-${removed}`), align: "right" },
  { title: "FILE", text: ({ path }) => path },
];

const MESSAGES: Column<{ id: number; text: string; when: string }>[] = [
  { title: "ID", text: ({ id }) => String(id), align: "right" },
  { title: "WHEN", text: ({ when }) => when },
  { title: "TEXT", text: ({ text }) => text },
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
      text: costText,
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

const EVENTS: Column<Pick<Head, "seq" | "at" | "type" | "title" | "text">>[] = [
  { title: "SEQ", text: ({ seq }) => String(seq), align: "right" },
  { title: "AT", text: ({ at }) => at },
  { title: "TYPE", text: ({ type }) => type },
  { title: "WHAT", text: ({ title = "", text = "" }) => `${title} ${text}` },
];
