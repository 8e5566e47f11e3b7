import { type Column, table } from "../../display/table.ts";
import { longDate, shortDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { age, money, tokens } from "../../util/figures.ts";
import type { AnswerOf } from "../contract.ts";
import { costText, listed, type Texts, WIDTH } from "./listed.ts";

/** What is on record, and who may look at it. */
export const RECORD_TEXTS = {
  getCost: ({ projects }) => projects.map(costsOf).join("\n\n"),
  listBudgets: ({ budgets }, now) => listed(budgets, budgetColumns(now), "No budgets."),
  getTime: ({ projects }) => projects.map(timesOf).join("\n\n"),
  listWorkspaces: ({ workspaces }) => listed(workspaces, WORKSPACES, "No worktrees and no branches."),
  listOwnSessions: ({ sessions }, now) => listed(sessions, sessionColumns(now), "No sessions."),
  getAgentConfig: ({ values }) => listed(values, VALUES, "Nothing is configured."),
  getDoctor: ({ projects }) =>
    projects
      .map(({ findings }) => table(findings, FINDINGS, WIDTH, { last: "below" }).join("\n"))
      .join("\n\n"),
  listTokens: ({ tokens: all }, now) => listed(all, tokenColumns(now), "No tokens."),
  listAudit: ({ entries, next }) =>
    [
      listed(entries, AUDIT, "Nobody has done anything, or nothing that fits."),
      ...(next === undefined ? [] : [`older: ?before=${next}`]),
    ].join("\n"),
} satisfies Texts;

type Costs = AnswerOf<"getCost">["projects"][number];

function costsOf({ by, rows, total }: Costs): string {
  const columns: Column<Costs["rows"][number]>[] = [
    {
      title: by.toUpperCase(),
      text: ({ day, agent, job, model }) => day ?? agent ?? (job && shortId(job)) ?? model ?? "all",
    },
    { title: "RESPONSES", text: ({ responses }) => String(responses), align: "right" },
    { title: "COST", text: costText, align: "right" },
  ];
  return table([...rows, total], columns, WIDTH).join("\n");
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

function budgetColumns(now: Date): Column<AnswerOf<"listBudgets">["budgets"][number]>[] {
  return [
    { title: "BUDGET", text: ({ scope, agent }) => agent ?? scope },
    { title: "PER", text: ({ per }) => per },
    {
      title: "SPENT",
      text: ({ spentUsd }) => (spentUsd === undefined ? "?" : money(spentUsd)),
      align: "right",
    },
    { title: "OF", text: ({ costUsd }) => money(costUsd), align: "right" },
    { title: "UNTIL", text: ({ to }) => (to === undefined ? "" : shortDate(to, now)) },
    { title: "THEN", text: ({ action, usedUp }) => (usedUp ? `${action}: used up` : action) },
    { title: "PROBLEM", text: ({ problem }) => problem ?? "", spare: 1 },
  ];
}

type Times = AnswerOf<"getTime">["projects"][number];

function timesOf({ agents, total }: Times): string {
  const kinds = Object.keys(total.timeMs);
  const columns: Column<{ name: string } & Times["total"]>[] = [
    { title: "AGENT", text: ({ name }) => name },
    { title: "JOBS", text: ({ jobs }) => String(jobs), align: "right" },
    ...kinds.map(
      (kind): Column<Times["total"]> => ({
        title: kind.toUpperCase(),
        text: ({ timeMs }) => age(timeMs[kind] ?? 0),
        align: "right",
      }),
    ),
  ];
  const rows = agents.map(({ agent: name, ...each }) => ({ name, ...each }));
  return table([...rows, { name: "all", ...total }], columns, WIDTH).join("\n");
}

const VALUES: Column<AnswerOf<"getAgentConfig">["values"][number]>[] = [
  { title: "KEY", text: ({ key }) => key },
  {
    title: "VALUE",
    text: ({ value }) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
  },
  { title: "FROM", text: ({ from }) => (from ? `${from.file}:${from.line}` : "built in") },
];

const FINDINGS: Column<AnswerOf<"getDoctor">["projects"][number]["findings"][number]>[] = [
  { title: "STATE", text: ({ state }) => state },
  { title: "WHAT", text: ({ name }) => name },
  { title: "FOUND", text: ({ found, fix }) => (fix === undefined ? found : `${found}. ${fix}`) },
];

function tokenColumns(now: Date): Column<AnswerOf<"listTokens">["tokens"][number]>[] {
  const date = (at: string | undefined) => (at === undefined ? "" : shortDate(at, now));
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name },
    { title: "MAY", text: ({ scopes, hook }) => (hook === undefined ? scopes.join(",") : `call ${hook}`) },
    { title: "STATE", text: ({ state }) => state },
    { title: "CREATED", text: ({ createdAt }) => date(createdAt) },
    { title: "USED", text: ({ usedAt }) => date(usedAt) },
    { title: "EXPIRES", text: ({ expiresAt }) => date(expiresAt) },
    { title: "IN", text: ({ projects }) => projects?.join(", ") ?? "all projects" },
  ];
}

const AUDIT: Column<AnswerOf<"listAudit">["entries"][number]>[] = [
  { title: "AT", text: ({ at }) => longDate(at) },
  { title: "WHO", text: ({ who }) => who },
  { title: "WHAT", text: ({ what }) => what },
  { title: "ON", text: ({ target }) => target ?? "" },
  { title: "FROM", text: ({ origin }) => origin ?? "", spare: 1 },
  { title: "OUTCOME", text: ({ outcome }) => outcome },
];
