import type { HandoffOutcome } from "../../handoff/document.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import { sendRequest } from "../../store/requests.ts";
import type { Store } from "../../store/store.ts";
import { UsageError } from "../usage-error.ts";
import { followed } from "./follow.ts";

/** What became of a request for a handoff, or of one to call it off. */
export type HandoffAnswer = { job: string } & (
  | {
      outcome: HandoffOutcome;
      number: number;
      documentPath: string;
      checks: { name: string; ok: boolean }[];
    }
  | { outcome: "cancelled" | "failed" | "refused"; message: string }
);

function refuseIdle(job: Job): void {
  if (job.status === "running" || job.status === "waiting") return;
  const next = job.status === "completed" ? "" : ` \`baton resume ${job.id}\` continues it.`;
  throw new UsageError(`${job.id} is ${job.status}, so there is no session that could hand off.${next}`);
}

/** Asks the process that runs the job for a handoff, and waits for what comes of it. */
export async function handOffById(store: Store, named: string, focus?: string): Promise<HandoffAnswer> {
  const job = await findJob(store, named);
  refuseIdle(job);
  await ask(store, job, "handoff", focus === undefined ? {} : { focus });
  return (await answerIn(job.id, followed(store, job.id, job.seq))) ?? endedFirst(store, job.id);
}

/** Asks it to call off the handoff that it is making. */
export async function callOffById(store: Store, named: string): Promise<HandoffAnswer> {
  const job = await findJob(store, named);
  refuseIdle(job);
  await ask(store, job, "call-off", {});
  return (await answerIn(job.id, followed(store, job.id, job.seq), false)) ?? endedFirst(store, job.id);
}

/**
 * `asksForOne`: once a handoff has begun, a refusal is the answer to somebody else. Whoever calls one off is refused just
 * then.
 */
export async function answerIn(
  job: string,
  events: AsyncIterable<JournalEvent>,
  asksForOne = true,
): Promise<HandoffAnswer | undefined> {
  let underway = false;
  for await (const event of events) {
    switch (event.type) {
      case "handoff:requested":
      case "context:handoff:start":
        underway = asksForOne;
        break;
      case "handoff:refused":
        if (!underway) return { job, outcome: "refused", message: event.message };
        break;
      case "handoff:cancelled":
        return { job, outcome: "cancelled", message: "Handoff cancelled" };
      case "handoff:failed":
        return { job, outcome: "failed", message: `Handoff failed: ${event.message}` };
      case "handoff:stored":
        return stored(job, event);
    }
  }
  return undefined;
}

function ask(store: Store, job: Job, kind: "handoff" | "call-off", payload: { focus?: string }) {
  return sendRequest(store, job.id, { kind, payload, at: new Date().toISOString() });
}

function stored(job: string, event: Extract<JournalEvent, { type: "handoff:stored" }>): HandoffAnswer {
  const { handoffNumber: number, outcome, documentPath } = event;
  return { job, outcome, number, documentPath, checks: event.checks.map(({ name, ok }) => ({ name, ok })) };
}

/** It ended before there was a handoff. */
export async function endedFirst(store: Store, job: string): Promise<HandoffAnswer> {
  const { status } = await getJob(store, job);
  return { job, outcome: "refused", message: `The job is ${status}: it ended before there was a handoff.` };
}
