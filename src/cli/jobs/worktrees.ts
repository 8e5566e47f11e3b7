import { configOf, findProject, hasStore, lookIntoStore } from "../../app/project.ts";
import { worktreeView } from "../../app/worktree-view.ts";
import { status } from "../../display/job-report.ts";
import { type Paint, paintFor, printable } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import { leavesOf } from "../../job/job.ts";
import type { Finding } from "../../jobs/end/janitor.ts";
import { leftoverOf } from "../../jobs/end/leftovers.ts";
import { isClaimed, jobsThatLeave } from "../../store/jobs.ts";

export interface WorktreesOptions {
  config?: string;
  json?: boolean;
}

/** Only what is in the store's own ledger: nothing else is Baton's. */
export async function worktrees(options: WorktreesOptions): Promise<number> {
  const list = await listOf(options);
  if (options.json) console.log(JSON.stringify(list.map(worktreeView)));
  else if (list.length === 0) console.log("No job has a worktree here.");
  else {
    const paint = paintFor(process.stdout, process.env);
    const [titles, ...rows] = table(list, columnsOf(paint), process.stdout.columns ?? 120);
    console.log(titles);
    for (const [index, { job }] of list.entries()) {
      console.log(rows[index]);
      if (leavesOf(job) === "worktree")
        console.log(paint("dim", `  ${printable(job.workspace?.path ?? "")}`));
    }
  }
  return 0;
}

async function listOf(options: WorktreesOptions): Promise<Finding[]> {
  const project = findProject(options);
  if (!hasStore(project)) return [];
  const { maintenance } = await configOf(project);
  await using store = await lookIntoStore(project);
  const now = new Date();
  const jobs = await jobsThatLeave(store);
  return await Promise.all(
    jobs.map(async (job) => ({
      job,
      leftover: leftoverOf(job, await isClaimed(store, job.id), maintenance.worktreeCleanup, now),
    })),
  );
}

function columnsOf(paint: Paint): Column<Finding>[] {
  return [
    { title: "JOB", text: ({ job }) => job.id },
    {
      title: "STATUS",
      text: ({ job }) => job.status,
      paint: ({ job }, text) => status(job.status, text, paint),
    },
    { title: "HAS", text: ({ job }) => leavesOf(job) ?? "" },
    { title: "BRANCH", text: ({ job }) => printable(job.workspace?.branch ?? "") },
    { title: "WHY", text: ({ leftover }) => printable(leftover.reason).split("\n")[0] ?? "" },
  ];
}
