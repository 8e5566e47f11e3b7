import type { Job } from "../job/job.ts";
import { jobReport } from "./job-report.ts";
import { print } from "./print.ts";
import { oneLine, paintFor, printable } from "./style.ts";

/** What stays on the screen when a job has ended: its answer, how it got there, and what to do next. */
export function printEnd(job: Job): void {
  const paint = paintFor(process.stdout, process.env);
  const lines = [""];
  if (job.result) lines.push(printable(job.result).trim(), "");
  lines.push(jobReport(job, paint));
  const next = nextStep(job);
  if (next) lines.push("", next);
  print(lines.join("\n"));
}

/** `command`: by which whoever ran the job continues it. */
export function nextStep(job: Job, command = "resume"): string | undefined {
  if (job.compacted) return undefined;
  switch (job.status) {
    case "cancelled":
      // One that was skipped, because another job has its work: its own message says how to continue that.
      if (job.workspace === null && job.sessions.length === 0) return undefined;
      return `Continue with: baton ${command} ${job.id}`;
    case "paused":
    case "failed":
    case "interrupted":
      return `Continue with: baton ${command} ${job.id}`;
    case "running":
    case "waiting":
      return `Follow it with: baton logs -f ${job.id}`;
    case "created":
    case "completed":
      return undefined;
  }
}

/** Where what a job did is to be found when it has stopped, in a sentence. */
export function whereTheWorkIs({ id, workspace, checkpoint }: Job): string {
  if (workspace === null) return "It had not begun.";
  const { repo, state, path, branch, branchKept, pushed } = workspace;
  if (repo === null || state !== "removed") return `What was done stays as it is, in ${oneLine(path)}.`;
  const places = [
    ...(branchKept && branch ? [`on the branch ${oneLine(branch)}`] : []),
    ...(pushed !== null ? ["pushed"] : []),
    ...(checkpoint !== null ? [`in a checkpoint (\`baton checkpoints ${id}\`)`] : []),
  ];
  const where = places.length > 0 ? `What was done is ${places.join(" and ")}.` : "Nothing was left in it.";
  return `Its worktree is removed. ${where}`;
}
