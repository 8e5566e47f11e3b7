import { howToAnswer } from "../job/asks/asks.ts";
import { linesToAllow } from "../job/denied.ts";
import type { Job } from "../job/job.ts";
import { folded, screenWidth } from "./fold.ts";
import { howToContinue } from "./how-to-continue.ts";
import { jobReport } from "./job-report.ts";
import { rendered } from "./markdown/render.ts";
import { shortPath } from "./path.ts";
import { print } from "./print.ts";
import { oneLine, paintFor, printable } from "./style.ts";

/**
 * What stays on the screen when a job has ended: its answer, unless it stands there already, how it got there, and what to do next.
 */
export function printEnd(job: Job, hasShown: (result: string) => boolean): void {
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  const lines = [""];
  if (job.result && !hasShown(job.result)) lines.push(rendered(job.result, paint, width), "");
  lines.push(jobReport(job, paint, { width }));
  const allow = howToAllow(job);
  if (allow) lines.push("", folded(allow, width));
  const next = nextStep(job);
  if (next) lines.push("", next);
  print(lines.join("\n"));
}

/** What to write where calls were denied, to the letter. */
export function howToAllow(job: Job): string | undefined {
  if (!job.denied || job.denied.length === 0) return undefined;
  const lines = linesToAllow(job);
  const forbidden = job.denied.filter(({ allow }) => !allow).map(({ tool }) => tool);
  const where =
    job.configPath === null ? "the baton.yaml that `baton init` writes" : shortPath(job.configPath);
  const parts = [
    ...(lines.length > 0
      ? [
          `To allow what was denied, write this for the agent "${oneLine(job.agent)}" in ${where}:`,
          ...lines.map((line) => `    ${printable(line)}`),
        ]
      : []),
    ...(forbidden.length > 0
      ? [
          `${[...new Set(forbidden)].map(oneLine).join(", ")}: no rule can allow this call, because another one forbids it. Check denied_tools, and the settings and hooks of the agent's program.`,
        ]
      : []),
  ];
  return parts.join("\n");
}

/** `command`: by which whoever ran the job continues it. */
export function nextStep(job: Job, command = "resume"): string | undefined {
  if (job.compacted) return undefined;
  switch (job.status) {
    case "cancelled":
      // One that was skipped, because another job has its work: its own message says how to continue that.
      if (job.workspace === null && job.sessions.length === 0) return undefined;
      return howToContinue(job.id, command);
    case "paused":
    case "failed":
    case "interrupted": {
      const answers = (job.asks ?? []).map((ask) => `Answer with: ${howToAnswer(ask)}\n`);
      return `${answers.join("")}${howToContinue(job.id, command)}`;
    }
    case "running":
    case "waiting":
      return `Watch it with: baton attach ${job.id}`;
    case "queued":
      return `Start the fleet that runs it with: baton start\nOr run it here with: baton ${command} ${job.id}`;
    case "created":
    case "completed":
      return undefined;
  }
}

/** Where what a job did is to be found when it has stopped, in a sentence. */
export function whereTheWorkIs({ id, workspace, checkpoint }: Job): string {
  if (workspace === null) return "It had not started.";
  const { repo, state, path, branch, branchKept, pushed } = workspace;
  if (repo === null || state !== "removed") return `The work so far stays in ${oneLine(path)}.`;
  const places = [
    ...(branchKept && branch ? [`on the branch ${oneLine(branch)}`] : []),
    ...(pushed !== null ? ["pushed"] : []),
    ...(checkpoint !== null ? [`in a checkpoint (\`baton checkpoints ${id}\`)`] : []),
  ];
  const where = places.length > 0 ? `The work so far is ${places.join(" and ")}.` : "It was empty.";
  return `Its worktree is removed. ${where}`;
}
