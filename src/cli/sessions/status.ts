import { jobView, newestJobs } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import { ownSessions, sessionView, stateOf } from "../../app/sessions/status.ts";
import { status as painted, peakOf } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import { todoCount } from "../../display/todos.ts";
import { windowInWords } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { counted, tokens } from "../../util/figures.ts";

export interface StatusOptions {
  config?: string;
  json?: boolean;
}

const NEWEST_JOBS = 10;

/** A person's own sessions in all projects, and the jobs of this one. */
export async function status(options: StatusOptions): Promise<number> {
  const { sessions, linked } = await ownSessions();
  const jobs = await newestJobs(findProject(options), NEWEST_JOBS);
  if (options.json) {
    printJson({ sessions: linked.map(sessionView), jobs: jobs.map(jobView) });
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const { columns = 120 } = process.stdout;
  const parts = [
    ...(sessions.length > 0 ? [table(sessions, sessionColumns(paint), columns).join("\n")] : []),
    ...(jobs.length > 0
      ? [
          table(
            jobs,
            jobColumns(
              paint,
              jobs.some(({ todos = [] }) => todos.length > 0),
            ),
            columns,
          ).join("\n"),
        ]
      : []),
  ];
  print(parts.length > 0 ? parts.join("\n\n") : NOTHING);
  return 0;
}

const NOTHING =
  "No session and no job is known here. `baton install claude-code` makes your own sessions known; `baton run` starts a job.";

function sessionColumns(paint: Paint): Column<OwnSession>[] {
  return [
    { title: "SESSION", text: ({ id }) => id.slice(0, 8) },
    { title: "KIND", text: ({ kind, role }) => (role === "single" ? kind : `${kind}, ${role}`) },
    { title: "STATE", text: stateOf },
    { title: "CONTEXT", text: contextOf, align: "right" },
    { title: "LEFT", text: ({ figure }) => leftOf(figure), align: "right" },
    { title: "HANDOFF", text: handoffOf, paint: (session, text) => handoffPainted(session, text, paint) },
    {
      title: "PROJECT",
      text: ({ project }) => shortPath(project),
      paint: (_session, text) => paint("dim", text),
    },
  ];
}

/** What is not exact says so: `~45k (23%)`. */
function contextOf({ figure }: OwnSession): string {
  if (!figure) return "";
  const { window, pending = 0 } = figure;
  const used = figure.tokens + pending;
  const sign = figure.source === "estimate" || pending > 0 ? "~" : "";
  return `${sign}${tokens(used)} (${Math.min(100, Math.round((used / window) * 100))}%)`;
}

function leftOf(figure: OwnSession["figure"]): string {
  return figure?.turnsLeft === undefined ? "" : counted(figure.turnsLeft, "turn");
}

function handoffOf({ handoff }: OwnSession): string {
  if (!handoff) return "";
  return `${handoff.number} ${isKept(handoff) ? "kept" : handoff.state}`;
}

/** Written before the session was compacted, which then continued: nobody has to pick it up. */
function isKept(handoff: OwnSession["handoff"]): boolean {
  return handoff?.state === "pending" && handoff.wentOn === true && handoff.outlived === true;
}

function handoffPainted({ handoff }: OwnSession, text: string, paint: Paint): string {
  const isForAPerson = (handoff?.state === "pending" && !isKept(handoff)) || handoff?.state === "failed";
  return isForAPerson ? paint("yellow", text) : text;
}

function jobColumns(paint: Paint, hasTodos: boolean): Column<Job>[] {
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
