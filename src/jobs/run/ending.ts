import type { PauseCode } from "../../job/events.ts";
import { spentBy } from "../../job/limits.ts";
import { messageOf } from "../../util/errors.ts";
import { type Outcome, type Workspace, WorkspaceTaken } from "../../workspace/workspace.ts";
import { closeJob, finishClosing } from "../end/closing.ts";
import { StoreHeldError } from "../journal.ts";
import { JobCancelled, JobInterrupted } from "../reasons.ts";
import { checkpoint } from "./checkpoints.ts";
import type { ClaimedJob, Reached, SetUpJob } from "./phases.ts";
import { workspaceJob } from "./workspaces.ts";

/** Of a job that ends before it has one. */
const NOWHERE: Workspace = { strategy: "static", path: "" };

/** The last of a job whose work is over: its workspace is closed, then the job. */
export async function endJob(
  job: ClaimedJob | SetUpJob,
  outcome: Pick<Outcome, "kind" | "text">,
): Promise<void> {
  const workspace = "workspace" in job ? job.workspace : NOWHERE;
  await closeJob({ ...job, work: workspaceJob(job.journal, job), workspace, outcome });
}

/** The same for a job whose end was cut off. */
export async function finishEnding(job: ClaimedJob): Promise<void> {
  await finishClosing({ ...job, work: workspaceJob(job.journal, job) });
}

/** Ends the agent first, so that what is then written about the job is its last word. */
export async function stopJob(reached: Reached, error: unknown): Promise<void> {
  const { journal, signal, record } = reached.job;
  const reason = signal.aborted ? signal.reason : error;
  const { kind, text } = endingFor(reason);
  if (reached.phase === "at-work") await reached.work.sessions.endAll(kind);
  if (journal.lost.aborted) throw reason;
  if (reached.phase === "at-work") await checkpoint(reached.work, kind);
  if (kind === "paused") {
    await journal.freed();
    return pauseJob(reached.job, "store_held", text);
  }
  if (kind === "interrupted") await record({ type: "job:interrupted", message: text });
  else await endJob(reached.job, { kind, text });
}

export async function pauseJob(job: ClaimedJob, code: PauseCode, message: string): Promise<void> {
  const { durationMs } = job.config.limits;
  const spent = spentBy(job.job(), job.journal.now()).durationMs;
  const tookTooLong = code === "limit_reached" && durationMs !== undefined && spent >= durationMs;
  const event = code === "stalled" || tookTooLong ? "timeout" : "paused";
  await job.hooks.ended({ event, text: job.redact(message) }, job.signal);
  await job.record({ type: "job:paused", code, message });
}

function endingFor(reason: unknown): {
  kind: "cancelled" | "interrupted" | "paused" | "failed";
  text: string;
} {
  const text = messageOf(reason);
  if (reason instanceof StoreHeldError) return { kind: "paused", text };
  if (reason instanceof JobCancelled || reason instanceof WorkspaceTaken) return { kind: "cancelled", text };
  if (reason instanceof JobInterrupted) return { kind: "interrupted", text };
  return { kind: "failed", text };
}
