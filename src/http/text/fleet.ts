import { type Column, table } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { age } from "../../util/figures.ts";
import { printable } from "../../util/printable.ts";
import type { AnswerOf } from "../contract.ts";
import { costText, listed, type Texts, WIDTH } from "./listed.ts";

type Queued = AnswerOf<"getFleet">["projects"][number]["queue"][number];
type Source = AnswerOf<"listWork">["sources"][number];

/** What runs, waits and comes. */
export const FLEET_TEXTS = {
  getFleet: ({ projects, halted }, now) =>
    [
      ...(halted ? [`halted since ${shortDate(halted.since, now)}: nothing starts`] : []),
      ...projects.map((each) => ofProject(each, now)),
    ].join("\n\n"),
  listInbox: ({ inbox }, now) => listed(inbox, inboxColumns(now), "Nothing needs you."),
  listAgents: ({ agents }) => listed(agents, AGENTS, "No agents."),
  listSchedules: ({ schedules }, now) => listed(schedules, scheduleColumns(now), "No schedules."),
  listFires: ({ fires, next }, now) =>
    [
      listed(fires, fireColumns(now), "No schedule has come due yet."),
      ...(next === undefined ? [] : [`older: ?before=${next}`]),
    ].join("\n"),
  getPlan: ({ projects }, now) =>
    listed(
      projects.flatMap(({ runs }) => runs),
      planColumns(now),
      "Nothing is to start in the next 24 hours.",
    ),
  listWork: ({ sources }) => sources.map(ofSource).join("\n\n") || "No agent takes work from a tracker here.",
  listAccounts: ({ accounts }, now) => listed(accounts, accountColumns(now), "No account is at its limit."),
} satisfies Texts;

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
    text: ({ usual }) => (usual ? `${age(usual.durationMs)} ${costText(usual)}` : ""),
    spare: 2,
  },
  { title: "STATE", text: ({ isPaused }) => (isPaused ? "paused" : "") },
];

type Fire = AnswerOf<"listFires">["fires"][number];

function fireColumns(now: Date): Column<Fire>[] {
  return [
    { title: "DUE", text: ({ due }) => shortDate(due, now) },
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "SCHEDULE", text: ({ schedule }) => schedule },
    { title: "OUTCOME", text: ({ outcome, count }) => (count > 1 ? `${outcome} (${count} times)` : outcome) },
    { title: "JOB", text: ({ job }) => (job === undefined ? "" : shortId(job)) },
    { title: "BECAUSE", text: ({ reason }) => reason ?? "" },
  ];
}

function planColumns(now: Date): Column<AnswerOf<"getPlan">["projects"][number]["runs"][number]>[] {
  return [
    { title: "STARTS", text: ({ starts }) => (starts === undefined ? "later" : shortDate(starts, now)) },
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "JOB", text: ({ job }) => (job === undefined ? "" : shortId(job)) },
    { title: "SCHEDULE", text: ({ schedule }) => (typeof schedule === "string" ? schedule : "") },
  ];
}

function accountColumns(now: Date): Column<AnswerOf<"listAccounts">["accounts"][number]>[] {
  return [
    { title: "ACCOUNT", text: ({ account }) => account },
    { title: "STATE", text: ({ state }) => state },
    { title: "UNTIL", text: ({ until }) => shortDate(until, now) },
    { title: "MESSAGE", text: ({ message }) => message },
  ];
}

function ofSource({ source, agents, problem, items }: Source): string {
  const head = `${printable(source)}, for ${agents.join(", ")}${problem ? `: ${printable(problem.why)}` : ""}`;
  return [head, listed(items, ITEMS, "No items.")].join("\n");
}

const ITEMS: Column<Source["items"][number]>[] = [
  { title: "ITEM", text: ({ id }) => id },
  { title: "STATE", text: ({ state }) => state },
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "JOB", text: ({ job }) => (job === undefined ? "" : shortId(job)) },
  { title: "TITLE", text: ({ title }) => title },
  { title: "BECAUSE", text: ({ why }) => why ?? "", spare: 1 },
];

function ofProject(
  { name, state, slots, isPaused, running, queue }: AnswerOf<"getFleet">["projects"][number],
  now: Date,
): string {
  const taken = slots ? `, ${slots.taken} of ${slots.total} slots taken` : "";
  const how =
    state === "not running" ? "the fleet is not running, so nothing will start: baton start" : state;
  const head = `${printable(name)}: ${how}${taken}${isPaused ? ", queue paused" : ""}`;
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
