import { fleetOfProject } from "../../app/fleet/view.ts";
import { needYou } from "../../app/inbox/inbox.ts";
import { jobView, newestJobs, waitingMessages } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import {
  handoffInWords,
  type KnownSession,
  ownSessionNamed,
  ownSessions,
  sessionView,
} from "../../app/sessions/status.ts";
import { type ListedWorker, listedFor } from "../../app/sessions/workers.ts";
import { status as painted, peakOf } from "../../display/job-report.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { todoCount, todoLines } from "../../display/todos.ts";
import { agentInWords, headline, shortId, windowInWords } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import { counted, tokens } from "../../util/figures.ts";
import { fleetHead } from "../fleet/head.ts";
import { ageOf, contextOf, kindOf, leftOf, paneOf, sessionColumns } from "./session-columns.ts";

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
    const workers = session.role === "orchestrator" ? await listedFor(session) : [];
    if (options.json) printJson({ ...sessionView(session), ...(workers.length > 0 && { workers }) });
    else print(report(session, workers, paint));
    return 0;
  }
  const { sessions, linked } = await ownSessions();
  const project = findProject(options);
  const jobs = await newestJobs(project, NEWEST_JOBS);
  const messages = await waitingMessages(project);
  const fleet = await fleetOfProject(project);
  const waiting = await needYou(project);
  if (options.json) {
    const views = jobs.map((job) => {
      const waiting = messages.get(job.id);
      return { ...jobView(job), ...(waiting && { messages: waiting }) };
    });
    printJson({ fleet, needYou: waiting, sessions: linked.map(sessionView), jobs: views });
    return 0;
  }
  const columns = tableWidth(process.stdout);
  const parts = [
    ...(waiting > 0
      ? [paint("yellow", `${counted(waiting, "thing")} ${waiting === 1 ? "needs" : "need"} you: baton inbox`)]
      : []),
    ...(fleet.unused ? [] : [fleetHead(fleet, paint, new Date())]),
    ...(sessions.length > 0 ? [table(sessions, sessionColumns(sessions, paint), columns).join("\n")] : []),
    ...(jobs.length > 0 ? [table(jobs, jobColumns(jobs, messages, paint), columns).join("\n")] : []),
  ];
  printWords([...parts, ...(sessions.length + jobs.length > 0 ? [] : [NOTHING])].join("\n\n"));
  return 0;
}

const NOTHING =
  "There are no sessions or jobs here. `baton install claude-code` shows your own sessions; `baton run` starts a job.";

function report(session: KnownSession, workers: readonly ListedWorker[], paint: Paint): string {
  const { id, state, figure, handoff, title, prompt, cwd, transcript, parent, todos } = session;
  const used = figure ? `${contextOf(session)} of ${tokens(figure.window)}` : "no figure yet";
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
    ...workers.map((worker, at) => row(at === 0 ? "workers" : "", workerLine(worker))),
  ].join("\n");
}

function workerLine({ session, job, task, status, reported, branch }: ListedWorker): string {
  const name = job === null ? (session ?? "").slice(0, 8) : shortId(job);
  const said = reported === null ? "" : `; it reported: ${reported}`;
  return oneLine(`${name}  ${task}: ${status}${said}${branch === null ? "" : ` (${branch})`}`);
}

function jobColumns(
  jobs: readonly Job[],
  messages: ReadonlyMap<string, readonly unknown[]>,
  paint: Paint,
): Column<Job>[] {
  const hasTodos = jobs.some(({ todos = [] }) => todos.length > 0);
  const unheard = ({ id }: Job) => String(messages.get(id)?.length ?? "");
  return [
    { title: "JOB", text: (job) => shortId(job.id) },
    { title: "AGENT", text: agentInWords, spare: 3 },
    { title: "STATUS", text: (job) => job.status, paint: (job, text) => painted(job.status, text, paint) },
    {
      title: "CONTEXT",
      text: ({ context }) => (context ? windowInWords(context) : ""),
      align: "right",
      spare: 1,
    },
    { title: "PEAK", text: peakOf, align: "right", spare: 4 },
    ...(hasTodos ? [{ title: "TODO", text: ({ todos }: Job) => todoCount(todos), spare: 2 }] : []),
    ...(jobs.some(unheard) ? [{ title: "UNHEARD", text: unheard, align: "right" as const }] : []),
    { title: "REQUEST", text: (job) => oneLine(headline(job)), paint: (_job, text) => paint("dim", text) },
  ];
}
