import type { HandoffOutcome } from "../handoff/document.ts";
import type { JournalEvent } from "../job/events.ts";
import type { Job } from "../job/job.ts";
import { findJob } from "../store/jobs.ts";
import { sendRequest } from "../store/requests.ts";
import type { Store } from "../store/store.ts";
import { EXIT, UsageError } from "./exit.ts";
import { followed } from "./follow.ts";
import { findProject, openStoreOfJobs } from "./project.ts";

export interface HandoffOptions {
  config?: string;
  json?: boolean;
  focus?: string;
  cancel?: boolean;
}

/** What became of a request for a handoff, or of one to call it off. */
type Result =
  | {
      outcome: HandoffOutcome;
      number: number;
      documentPath: string;
      checks: { name: string; ok: boolean }[];
    }
  | { outcome: "cancelled" | "failed" | "refused"; message: string };

/** Asks the process that runs the job, and waits for what comes of it. */
export async function handoff(id: string | undefined, options: HandoffOptions): Promise<number> {
  if (id === undefined) throw new UsageError("Which job? `baton jobs` lists them.");
  if (options.cancel && options.focus !== undefined) {
    throw new UsageError(
      "--focus is for a handoff to be made, --cancel for one that is not wanted any more.",
    );
  }
  await using store = await openStoreOfJobs(findProject(options));
  const job = await findJob(store, id);
  refuseIdle(job);
  const result = await (options.cancel ? calledOff(store, job) : handedOff(store, job, options.focus));
  if (options.json) console.log(JSON.stringify({ job: job.id, ...result }));
  else console.log(inWords(result));
  const asWanted = options.cancel ? result.outcome === "cancelled" : "documentPath" in result;
  return asWanted ? EXIT.completed : EXIT.failed;
}

function refuseIdle(job: Job): void {
  if (job.status === "running" || job.status === "waiting") return;
  const next = job.status === "completed" ? "" : ` \`baton resume ${job.id}\` goes on with it.`;
  throw new UsageError(`${job.id} is ${job.status}, so there is no session that could hand off.${next}`);
}

async function handedOff(store: Store, job: Job, focus: string | undefined): Promise<Result> {
  await ask(store, job, "handoff", focus === undefined ? {} : { focus });
  // Once a handoff is on its way, a refusal is the answer to somebody else.
  let underway = false;
  for await (const event of followed(store, job.id, job.seq)) {
    if (event.type === "handoff:requested" || event.type === "context:handoff:start") underway = true;
    if (event.type === "handoff:refused" && !underway) return { outcome: "refused", message: event.message };
    if (event.type === "handoff:cancelled") return { outcome: "cancelled", message: "Handoff cancelled" };
    if (event.type === "handoff:failed") return failed(event.message);
    if (event.type === "handoff:stored") return stored(event);
  }
  return endedFirst(store, job);
}

async function calledOff(store: Store, job: Job): Promise<Result> {
  await ask(store, job, "call-off", {});
  for await (const event of followed(store, job.id, job.seq)) {
    if (event.type === "handoff:refused") return { outcome: "refused", message: event.message };
    if (event.type === "handoff:cancelled") return { outcome: "cancelled", message: "Handoff cancelled" };
    if (event.type === "handoff:failed") return failed(event.message);
    if (event.type === "handoff:stored") return stored(event);
  }
  return endedFirst(store, job);
}

function ask(store: Store, job: Job, kind: "handoff" | "call-off", payload: { focus?: string }) {
  return sendRequest(store, job.id, { kind, payload, at: new Date().toISOString() });
}

function stored(event: Extract<JournalEvent, { type: "handoff:stored" }>): Result {
  const { handoffNumber: number, outcome, documentPath } = event;
  return { outcome, number, documentPath, checks: event.checks.map(({ name, ok }) => ({ name, ok })) };
}

function failed(why: string): Result {
  return { outcome: "failed", message: `Handoff failed: ${why}` };
}

async function endedFirst(store: Store, job: Job): Promise<Result> {
  const { status } = await findJob(store, job.id);
  return { outcome: "refused", message: `The job is ${status}: it ended before there was a handoff.` };
}

function inWords(result: Result): string {
  if ("message" in result) return result.message;
  const failed = result.checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const short = failed.length > 0 ? `; fell short of: ${failed.join(", ")}` : "";
  return `Handoff ${result.number} (${result.outcome}${short}) is stored: ${result.documentPath}`;
}
