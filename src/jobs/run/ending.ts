import { noRoom } from "../../files/no-room.ts";
import type { PauseCode } from "../../job/events.ts";
import { spentBy } from "../../job/limits.ts";
import { StoreError } from "../../store/errors.ts";
import { messageOf } from "../../util/errors.ts";
import { type Outcome, type Workspace, WorkspaceGone, WorkspaceTaken } from "../../workspace/workspace.ts";
import { closeJob, finishClosing } from "../end/closing.ts";
import { StoreHeldError } from "../journal.ts";
import { ItemLost, JobCancelled, JobInterrupted } from "../reasons.ts";
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
  const ending = endingFor(reason, journal.job.id);
  const { kind, text } = ending;
  const work = reached.phase === "at-work" ? reached.work : undefined;
  await work?.crew.endAll(kind);
  if (journal.lost.aborted) {
    // Whoever took the job over keeps its files by now. Where nobody did, git is all that is left to tell of them.
    const kept = work && reason instanceof StoreError ? await checkpoint(work, kind) : undefined;
    throw kept === undefined ? reason : new OffRecord(reason, kept);
  }
  // What is in the place of a folder that is gone is not the job's to keep.
  if (work && !(reason instanceof WorkspaceGone)) await checkpoint(work, kind);
  if (journal.held.aborted) await journal.freed();
  switch (ending.kind) {
    case "paused":
      return pauseJob(reached.job, ending.code, text);
    case "interrupted":
      return record({ type: "job:interrupted", message: text });
    case "cancelled":
    case "failed":
      return endJob(reached.job, { kind: ending.kind, text });
  }
}

/** The job goes no further because nothing of it can be recorded. */
class OffRecord extends Error {
  override readonly name = "OffRecord";

  constructor(cause: Error, ref: string) {
    super(`${cause.message}\nThe files as the agent left them are kept in git, as ${ref}.`, { cause });
  }
}

export async function pauseJob(job: ClaimedJob, code: PauseCode, message: string): Promise<void> {
  const { durationMs } = job.config.limits;
  const spent = spentBy(job.job(), job.journal.now()).durationMs;
  const tookTooLong = code === "limit_reached" && durationMs !== undefined && spent >= durationMs;
  const event = code === "stalled" || tookTooLong ? "timeout" : "paused";
  await job.hooks.ended({ event, text: job.redact(message), code }, job.signal);
  await job.record({ type: "job:paused", code, message });
}

type Ending =
  | { kind: "cancelled" | "interrupted" | "failed"; text: string }
  | { kind: "paused"; code: PauseCode; text: string };

function endingFor(reason: unknown, job: string): Ending {
  const text = messageOf(reason);
  if (reason instanceof StoreHeldError) return { kind: "paused", code: "store_held", text };
  if (reason instanceof JobCancelled || reason instanceof WorkspaceTaken) return { kind: "cancelled", text };
  if (reason instanceof JobInterrupted) return { kind: "interrupted", text };
  if (reason instanceof ItemLost) return { kind: "paused", code: "item_lost", text };
  if (reason instanceof WorkspaceGone) return { kind: "paused", code: "folder_gone", text };
  const full = noRoom(reason);
  if (!full) return { kind: "failed", text };
  return { kind: "paused", code: "no_room", text: `${full.message} Then \`baton resume ${job}\`.` };
}
