import type { Job } from "../../job/job.ts";
import { statusInWords } from "../../job/status-words.ts";
import { shortLine } from "../../util/frame.ts";
import type { StartedJob } from "./session.ts";

/** A job that an orchestrator started. */
export interface JobWorker {
  kind: "job";
  seen: SeenJob;
}

/** As its journal tells it now; `problem`: why that cannot be read. */
export type SeenJob = { id: string; job: Job } | { id: string; task: string; problem: string };

/** Folds jobs from their journals. What is on record no more is left out. */
export type LookUpJobs = (started: readonly StartedJob[]) => Promise<SeenJob[]>;

export const MOST_OF_TASK = 200;
const MOST_OF_WHY = 200;

export function taskOf(seen: SeenJob): string {
  if (!("job" in seen)) return seen.task;
  const { prompt, workItem } = seen.job;
  const title = [workItem?.id, workItem?.title].filter((part) => part !== undefined).join(": ");
  return shortLine(title || prompt, MOST_OF_TASK);
}

/** By its journal alone, whatever its agent says. */
export function statusOf(seen: SeenJob): string {
  if (!("job" in seen)) return `unknown: ${shortLine(seen.problem, MOST_OF_WHY)}`;
  const { job } = seen;
  const status = statusInWords(job);
  switch (job.status) {
    case "running":
      return job.sessions.length > 1 ? `${status} in session ${job.sessions.length}` : status;
    case "waiting":
      return job.waiting ? `${status}: ${shortLine(job.waiting.message, MOST_OF_WHY)}` : status;
    case "failed":
    case "paused":
    case "interrupted":
      return job.error ? `${status}: ${shortLine(job.error, MOST_OF_WHY)}` : status;
    case "created":
    case "queued":
    case "completed":
    case "cancelled":
      return status;
  }
}

/** And in what it said last, as its words. */
export function statusAndWords(seen: SeenJob): string {
  const report = "job" in seen ? seen.job.report : undefined;
  return report ? `${statusOf(seen)}; it reported: ${report.status}` : statusOf(seen);
}

export function branchOf(seen: SeenJob): string | null {
  return "job" in seen ? (seen.job.workspace?.branch ?? null) : null;
}

export function lastUpdate(seen: SeenJob): string {
  return "job" in seen ? seen.job.updatedAt : "";
}

export function isOver(seen: SeenJob): boolean {
  return "job" in seen && seen.job.finishedAt !== null;
}
