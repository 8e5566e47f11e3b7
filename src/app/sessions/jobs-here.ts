import { costFigure } from "../../job/cost.ts";
import { describe } from "../../job/describe.ts";
import { agentNow, type Job, type JobStatus } from "../../job/job.ts";
import { percentInWords } from "../../job/window.ts";
import { listJobs } from "../../store/job-list.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import { given } from "../../util/given.ts";
import { followed } from "../jobs/follow.ts";
import { type MessageView, type Moment, messagesFor, sendTo } from "../jobs/messages.ts";
import { findProject, hasStore, openStoreOfJobs, openSwept } from "../project.ts";
import { ownSessionOf, type Served } from "./served.ts";

/** A job, as an orchestrator follows it. */
export interface JobHere {
  job: string;
  agent: string;
  status: JobStatus;
  /** It ended, or rests until somebody continues it. */
  over: boolean;
  prompt: string;
  /** Only a person can let it go on: `baton inbox` says how. */
  needs_person: boolean;
  context: string | null;
  cost_usd: number | null;
  handoffs: number;
  branch: string | null;
  result: string | null;
  error: string | null;
  updated: string;
}

const OPEN: ReadonlySet<JobStatus> = new Set(["created", "queued", "running", "waiting"]);

function jobHere(job: Job): JobHere {
  const { id, status, prompt, context, handoffs, workspace, result, error, updatedAt, asks = [] } = job;
  return {
    job: id,
    agent: agentNow(job),
    status,
    over: !OPEN.has(status),
    prompt,
    needs_person: asks.length > 0 || status === "paused",
    context: context && context.window > 0 ? percentInWords(context) : null,
    cost_usd: costFigure(job).costUsd,
    handoffs: handoffs.length,
    branch: workspace?.branch ?? null,
    result,
    error,
    updated: updatedAt,
  };
}

const MOST_LISTED = 100;

/** The jobs of the project, newest first. */
export async function jobsHere(
  served: Served,
  { status, limit }: { status?: JobStatus | undefined; limit: number },
): Promise<JobHere[]> {
  const project = projectOf(served);
  if (!hasStore(project)) return [];
  await using store = await openSwept(project);
  const jobs = await listJobs(store, Math.min(limit, MOST_LISTED), given({ status }));
  return jobs.map(jobHere);
}

/** One of them, with what its agent was not told yet. */
export async function showJobHere(
  served: Served,
  named: string,
): Promise<JobHere & { messages: MessageView[] }> {
  await using store = await openStoreOfJobs(projectOf(served));
  const job = await findJob(store, named);
  return { ...jobHere(job), messages: await messagesFor(store, job.id) };
}

/** Tells the agent of a job something, in the caller's name: it is not the user who says it. */
export async function sendHere(
  served: Served,
  named: string,
  { text, at }: { text: string; at: Moment },
): Promise<MessageView> {
  const session = await ownSessionOf(served);
  const who = session ? `session ${session.id}` : "another program";
  await using store = await openStoreOfJobs(projectOf(served));
  const said = `(This is from ${who}, which orchestrates jobs of this project. It is not from the user.)\n\n${text}`;
  return await sendTo(store, await findJob(store, named), said, at);
}

interface Waiting {
  timeoutMs: number;
  signal: AbortSignal;
  /** Hears how the job stands at first, and what happens from then on, in a line each. */
  progress: (line: string) => Promise<void>;
}

/** Until the job is over, or for so long. */
export async function waitHere(
  served: Served,
  named: string,
  { timeoutMs, signal, progress }: Waiting,
): Promise<JobHere & { timed_out: boolean }> {
  await using store = await openStoreOfJobs(projectOf(served));
  const { id, seq, status } = await findJob(store, named);
  await progress(status);
  const ending = AbortSignal.any([signal, served.signal, AbortSignal.timeout(timeoutMs)]);
  for await (const event of followed(store, id, seq, ending)) {
    const told = describe(event);
    if (told && told.tone !== "quiet") await progress(told.title);
  }
  const now = jobHere(await getJob(store, id));
  return { ...now, timed_out: !now.over };
}

function projectOf({ options, root }: Served) {
  return findProject(options, root);
}
