import { findProject, hasStore, lookIntoStore, type Project } from "../../app/project.ts";
import { status as painted } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import type { Job } from "../../job/job.ts";
import { jobView } from "../../job/view.ts";
import { programIsGone } from "../../sessions/record/program-gone.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { listJobs } from "../../store/jobs.ts";
import { counted, tokens } from "../../util/figures.ts";

export interface StatusOptions {
  config?: string;
  json?: boolean;
}

const NEWEST_JOBS = 10;

/** A person's own sessions in all projects, and the jobs of this one. */
export async function status(options: StatusOptions): Promise<number> {
  const known = await userRegistry().list();
  const sessions = known.filter(isOfInterest);
  const jobs = await jobsOf(findProject(options));
  if (options.json) {
    const linked = withEarlier(sessions, known);
    console.log(JSON.stringify({ sessions: linked.map(sessionView), jobs: jobs.map(jobView) }));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const { columns = 120 } = process.stdout;
  const parts = [
    ...(sessions.length > 0 ? [table(sessions, sessionColumns(paint), columns).join("\n")] : []),
    ...(jobs.length > 0 ? [table(jobs, jobColumns(paint), columns).join("\n")] : []),
  ];
  console.log(parts.length > 0 ? parts.join("\n\n") : NOTHING);
  return 0;
}

const NOTHING =
  "No session and no job is known here. `baton install claude-code` makes your own sessions known; `baton run` starts a job.";

/** Of ended sessions only those whose handoff waits for somebody. */
function isOfInterest({ ended, handoff }: OwnSession): boolean {
  return ended === null || ["stored", "clearing", "pending", "failed"].includes(handoff?.state ?? "");
}

/** And those whose work they continue, so that old and new session can be found from each other. */
function withEarlier(sessions: readonly OwnSession[], known: readonly OwnSession[]): OwnSession[] {
  const ids = new Set(sessions.map(({ id }) => id));
  for (let before = 0; before < ids.size; ) {
    before = ids.size;
    for (const { id, handoff } of known) {
      if (handoff?.state === "taken-up" && handoff.successor && ids.has(handoff.successor)) ids.add(id);
    }
  }
  return known.filter(({ id }) => ids.has(id));
}

async function jobsOf(project: Project): Promise<Job[]> {
  if (!hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return await listJobs(store, NEWEST_JOBS);
}

type State = "ended" | "gone" | "open";

function stateOf(session: OwnSession): State {
  if (session.ended) return "ended";
  return programIsGone(session) ? "gone" : "open";
}

/** Its keys are a promise to users. */
function sessionView(session: OwnSession) {
  const { id, kind, role, project, cwd, transcript, pane, parent, startedAt, seenAt, figure, handoff } =
    session;
  return {
    id,
    kind,
    role,
    state: stateOf(session),
    project,
    cwd,
    transcript,
    ...(pane && { pane }),
    ...(parent !== null && { parent }),
    startedAt,
    seenAt,
    context: figure,
    handoff,
    ...(session.report && { report: session.report }),
  };
}

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
  const sign = figure.source === "estimate" ? "~" : "";
  return `${sign}${tokens(figure.tokens)} (${Math.round(figure.percent)}%)`;
}

function leftOf(figure: OwnSession["figure"]): string {
  return figure?.turnsLeft === undefined ? "" : counted(figure.turnsLeft, "turn");
}

function handoffOf({ handoff }: OwnSession): string {
  return handoff ? `${handoff.number} ${handoff.state}` : "";
}

function handoffPainted({ handoff }: OwnSession, text: string, paint: Paint): string {
  const isForAPerson = handoff?.state === "pending" || handoff?.state === "failed";
  return isForAPerson ? paint("yellow", text) : text;
}

function jobColumns(paint: Paint): Column<Job>[] {
  return [
    { title: "JOB", text: (job) => job.id },
    { title: "AGENT", text: (job) => job.agent },
    { title: "STATUS", text: (job) => job.status, paint: (job, text) => painted(job.status, text, paint) },
    { title: "PEAK", text: peakOf, align: "right" },
    { title: "REQUEST", text: (job) => oneLine(job.prompt), paint: (_job, text) => paint("dim", text) },
  ];
}

/** Of its newest session. */
function peakOf({ sessions }: Job): string {
  const { peakTokens = 0, contextWindow = null } = sessions.at(-1) ?? {};
  return contextWindow ? `${tokens(peakTokens)} (${Math.round((peakTokens / contextWindow) * 100)}%)` : "";
}
