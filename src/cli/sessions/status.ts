import { jobView, newestJobs } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import {
  handoffInWords,
  isKept,
  type KnownSession,
  ownSessionNamed,
  ownSessions,
  sessionView,
} from "../../app/sessions/status.ts";
import { status as painted, peakOf } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import { todoCount, todoLines } from "../../display/todos.ts";
import { windowInWords } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import { age, counted, tokens } from "../../util/figures.ts";

export interface StatusOptions {
  config?: string;
  json?: boolean;
}

const NEWEST_JOBS = 10;

/** A person's own sessions in all projects, and the jobs of this one; or one session, with all that is known of it. */
export async function status(named: string | undefined, options: StatusOptions): Promise<number> {
  const paint = paintFor(process.stdout, process.env);
  if (named !== undefined) {
    const session = await ownSessionNamed(named);
    if (options.json) printJson(sessionView(session));
    else print(report(session, paint));
    return 0;
  }
  const { sessions, linked } = await ownSessions();
  const jobs = await newestJobs(findProject(options), NEWEST_JOBS);
  if (options.json) {
    printJson({ sessions: linked.map(sessionView), jobs: jobs.map(jobView) });
    return 0;
  }
  const { columns = 120 } = process.stdout;
  const parts = [
    ...(sessions.length > 0 ? [table(sessions, sessionColumns(sessions, paint), columns).join("\n")] : []),
    ...(jobs.length > 0 ? [table(jobs, jobColumns(jobs, paint), columns).join("\n")] : []),
  ];
  print(parts.length > 0 ? parts.join("\n\n") : NOTHING);
  return 0;
}

const NOTHING =
  "No session and no job is known here. `baton install claude-code` makes your own sessions known; `baton run` starts a job.";

/** What no session has gets no column: their titles need the room. */
function sessionColumns(sessions: readonly KnownSession[], paint: Paint): Column<KnownSession>[] {
  const columns: Column<KnownSession>[] = [
    { title: "SESSION", text: ({ id }) => id.slice(0, 8) },
    { title: "KIND", text: kindOf },
    { title: "STATE", text: ({ state }) => state },
    { title: "AGE", text: ageOf, align: "right" },
    { title: "CONTEXT", text: contextOf, align: "right" },
    { title: "LEFT", text: leftOf, align: "right" },
    {
      title: "HANDOFF",
      text: handoffInWords,
      paint: (session, text) => handoffPainted(session, text, paint),
    },
    { title: "TODO", text: ({ todos }) => todoCount(todos) },
    { title: "PANE", text: paneOf },
    { title: "PROJECT", text: ({ project }) => shortPath(project) },
    { title: "TITLE", text: titleOf, paint: (_session, text) => paint("dim", text) },
  ];
  return columns.filter(({ text }) => sessions.some((session) => text(session) !== ""));
}

function kindOf({ kind, role }: KnownSession): string {
  return role === "single" ? kind : `${kind}, ${role}`;
}

function ageOf({ startedAt }: KnownSession): string {
  return age(Date.now() - Date.parse(startedAt));
}

function paneOf({ pane, paneName }: KnownSession): string {
  return paneName ?? pane?.id ?? "";
}

function titleOf({ title, prompt }: KnownSession): string {
  return oneLine(title ?? prompt ?? "");
}

/** What is not exact says so: `~45k (23%)`. */
function contextOf({ figure }: KnownSession): string {
  if (!figure) return "";
  const { window, pending = 0 } = figure;
  const used = figure.tokens + pending;
  const sign = figure.source === "estimate" || pending > 0 ? "~" : "";
  return `${sign}${tokens(used)} (${Math.min(100, Math.floor((used / window) * 100))}%)`;
}

function leftOf({ figure }: KnownSession): string {
  return figure?.turnsLeft === undefined ? "" : counted(figure.turnsLeft, "turn");
}

function handoffPainted({ handoff }: KnownSession, text: string, paint: Paint): string {
  const isForAPerson = (handoff?.state === "pending" && !isKept(handoff)) || handoff?.state === "failed";
  return isForAPerson ? paint("yellow", text) : text;
}

function report(session: KnownSession, paint: Paint): string {
  const { id, state, figure, handoff, title, prompt, cwd, transcript, parent, todos } = session;
  const used = figure ? `${contextOf(session)} of ${tokens(figure.window)}` : "no answer yet";
  const left = leftOf(session);
  const known: [string, string | undefined][] = [
    ["session", `${id}, ${kindOf(session)}, ${state}, ${ageOf(session)} old`],
    ["title", title],
    ["you said", prompt],
    ["window", `${used}${left && `, ${left} left`}`],
    ["handoff", handoff ? handoffInWords(session) : undefined],
    ["document", handoff?.documentPath],
    ["continues", parent ?? undefined],
    ["pane", paneOf(session) || undefined],
    ["folder", cwd],
    ["transcript", transcript ?? undefined],
  ];
  const row = (label: string, text: string) => `${paint("dim", label.padEnd(12))}${text}`;
  return [
    ...known.flatMap(([label, text]) => (text === undefined ? [] : [row(label, oneLine(text))])),
    ...todoLines(todos, paint).map((line, at) => row(at === 0 ? "todos" : "", line)),
  ].join("\n");
}

function jobColumns(jobs: readonly Job[], paint: Paint): Column<Job>[] {
  const hasTodos = jobs.some(({ todos = [] }) => todos.length > 0);
  return [
    { title: "JOB", text: (job) => job.id },
    { title: "AGENT", text: (job) => job.agent },
    { title: "STATUS", text: (job) => job.status, paint: (job, text) => painted(job.status, text, paint) },
    { title: "CONTEXT", text: ({ context }) => (context ? windowInWords(context) : ""), align: "right" },
    { title: "PEAK", text: peakOf, align: "right" },
    ...(hasTodos ? [{ title: "TODO", text: ({ todos }: Job) => todoCount(todos) }] : []),
    { title: "REQUEST", text: (job) => oneLine(job.prompt), paint: (_job, text) => paint("dim", text) },
  ];
}
