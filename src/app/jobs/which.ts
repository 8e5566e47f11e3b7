import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { headline } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import { allJobs, listJobs } from "../../store/job-list.ts";
import { findJob, isClaimed } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { openStoreOfJobs, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";

/** The job of this name, or the newest one. */
export async function namedOrNewest(store: Store, named: string | undefined): Promise<Job> {
  if (named !== undefined) return findJob(store, named);
  const [newest] = await listJobs(store, 1);
  if (newest) return newest;
  throw new UsageError('No job has run here yet. Start one with `baton run "what to do"`.');
}

/** The newest that can be continued: of those that a person takes part in, or of the others. */
export async function jobToResume(project: Project, { attended }: { attended: boolean }): Promise<Job> {
  await using store = await openStoreOfJobs(project);
  for await (const job of allJobs(store, { status: ["paused", "failed", "interrupted", "cancelled"] })) {
    if (canBeResumed(job) && (job.attended ?? false) === attended) return job;
  }
  throw new UsageError(
    attended
      ? "No chat here can be resumed. `baton chat` starts another."
      : "No job here can be resumed. `baton jobs` lists them all.",
  );
}

/** One that was skipped, because another job had its work, has nothing to continue. */
function canBeResumed({ compacted, status, workspace, sessions }: Job): boolean {
  const isSkipped = status === "cancelled" && workspace === null && sessions.length === 0;
  return !compacted && !isSkipped;
}

const SHOWN = 20;
const PROMPT_WIDTH = 60;

/** The job of this name, or the only one at work. `command`: what the user typed, to say how to name one. */
export async function namedOrRunning(store: Store, named: string | undefined, command: string): Promise<Job> {
  if (named !== undefined) return findJob(store, named);
  const [job, ...others] = await running(store);
  if (job && others.length === 0) return job;
  if (!job) throw new UsageError("No job is running here. `baton jobs` lists them all.");
  const lines = [job, ...others].map(
    (each) =>
      `  baton ${command} ${each.id}   ${each.agent}: ${fitted(oneLine(headline(each)), PROMPT_WIDTH)}`,
  );
  throw new UsageError(`Several jobs are running. Name one:\n${lines.join("\n")}`);
}

/** One that a process has just taken is at work, too, before anything has happened in it. */
async function running(store: Store): Promise<Job[]> {
  const jobs = await listJobs(store, SHOWN, { status: ["created", "running", "waiting"] });
  const isRunning = await Promise.all(
    jobs.map(({ id, status }) => status !== "created" || isClaimed(store, id)),
  );
  return jobs.filter((_job, index) => isRunning[index]);
}
