import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { HandoffOutcome } from "../../handoff/document.ts";
import type { JournalEvent } from "../../job/events.ts";
import { agentNow, isAtWork, isOnlyToBeClosed, type Job } from "../../job/job.ts";
import { handOffIdle } from "../../jobs/handoff/idle-handoff.ts";
import { Journal } from "../../jobs/journal.ts";
import { jobEnvironment } from "../../jobs/run/spec.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob } from "../../store/claims.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import { sendRequest } from "../../store/requests.ts";
import type { Store } from "../../store/store.ts";
import { readersOf } from "../crew.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { followed } from "./follow.ts";
import { readyStandIn } from "./ready.ts";

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

interface Wanted {
  focus?: string;
  /** The agent that takes over. */
  to?: string;
  /** The user's own choice of a configuration, in place of the one that the job was started with. */
  config?: string;
  env?: Record<string, string>;
}

/**
 * Asks the process that runs the job for a handoff, and waits for what comes of it. Where none does, the document is made
 * here, from facts.
 */
export async function handOffById(
  store: Store,
  project: Project,
  named: string,
  wanted: Wanted = {},
): Promise<HandoffAnswer> {
  const job = await findJob(store, named);
  if (wanted.to === agentNow(job)) {
    throw new UsageError(`${job.id} is with ${wanted.to} already. Name another agent in --to.`);
  }
  if (!isAtWork(job)) return handOffFromFacts(store, project, job, wanted);
  const { focus, to } = wanted;
  await ask(store, job, "handoff", {
    ...(focus !== undefined && { focus }),
    ...(to !== undefined && { to }),
  });
  return (await answerIn(job.id, followed(store, job.id, job.seq), { to })) ?? endedFirst(store, job.id);
}

/** Asks it to call off the handoff that it is making. */
export async function callOffById(store: Store, named: string): Promise<HandoffAnswer> {
  const job = await findJob(store, named);
  if (!isAtWork(job)) {
    throw new UsageError(`${job.id} is ${job.status}, so there is no handoff to cancel.`);
  }
  await ask(store, job, "call-off", {});
  const events = followed(store, job.id, job.seq);
  return (await answerIn(job.id, events, { asksForOne: false })) ?? endedFirst(store, job.id);
}

async function handOffFromFacts(
  store: Store,
  project: Project,
  job: Job,
  { focus, to, config: given, env: base = ownEnvironment() }: Wanted,
): Promise<HandoffAnswer> {
  const { id, status, agent: name, configPath, chosen } = job;
  if (status === "completed") {
    throw new UsageError(`${id} is completed, so there is nothing left to hand off.`);
  }
  if (isOnlyToBeClosed(job)) {
    throw new UsageError(`The work of ${id} is done: \`baton resume ${id}\` publishes and closes it.`);
  }
  if (focus !== undefined) {
    throw new UsageError(
      `${id} is ${status}: its document is made from facts, because no session is running that could focus on something. Leave out --focus, or continue the job with \`baton resume ${id}\`.`,
    );
  }
  const all = await configOf(
    configPath && !given ? { ...project, configPath } : project,
    chosen && { chosen },
  );
  const config = agentNamed(all, name);
  // Before anything is on record: whoever resumes the job starts that one.
  if (to !== undefined) await readyStandIn(all, config, to, base);
  const now = () => new Date();
  const claim = await claimJob(store, id, thisProcess(), now());
  await using journal = new Journal(store, claim, now);
  const env = jobEnvironment(base, config, { job: id, attempt: claim.attempt });
  const { signal } = new AbortController();
  const agent = await agentFor(config);
  const standIns = await readersOf(all, config, base, { job: id, attempt: claim.attempt });
  const wanted = { ...(to !== undefined && { to }) };
  const made = await handOffIdle({ journal, config, agent, env, standIns, signal, now, ...wanted });
  if (!made)
    return {
      job: id,
      outcome: "refused",
      message: "Nothing to hand off: no session has done anything",
    };
  const { outcome, number, documentPath, checks } = made;
  return { job: id, outcome, number, documentPath, checks };
}

/**
 * `asksForOne`: once a handoff has begun, a refusal is the answer to somebody else. Whoever calls one off is refused just
 * then. `to`: one to the same agent that is made before is none of theirs.
 */
export async function answerIn(
  job: string,
  events: AsyncIterable<JournalEvent>,
  { asksForOne = true, to }: { asksForOne?: boolean; to?: string | undefined } = {},
): Promise<HandoffAnswer | undefined> {
  let underway = false;
  let isTheirs = to === undefined;
  for await (const event of events) {
    if (event.type === "handoff:requested" && event.to === to) isTheirs = true;
    if (!isTheirs && event.type !== "handoff:refused") continue;
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

function ask(store: Store, job: Job, kind: "handoff" | "call-off", payload: { focus?: string; to?: string }) {
  return sendRequest(store, job.id, { kind, payload, at: new Date().toISOString() });
}

function stored(job: string, event: Extract<JournalEvent, { type: "handoff:stored" }>): HandoffAnswer {
  const { handoffNumber: number, outcome, documentPath } = event;
  return { job, outcome, number, documentPath, checks: event.checks.map(({ name, ok }) => ({ name, ok })) };
}

/** It ended before there was a handoff. */
export async function endedFirst(store: Store, job: string): Promise<HandoffAnswer> {
  const { status } = await getJob(store, job);
  return { job, outcome: "refused", message: `The job is ${status}: it ended before the handoff was made.` };
}
