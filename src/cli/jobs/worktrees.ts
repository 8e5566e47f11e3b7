import { type WorktreeView, worktreesOf } from "../../app/jobs/worktrees.ts";
import { findProject } from "../../app/project.ts";
import { status } from "../../display/job-report.ts";
import { type Paint, paintFor, printable } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";

export interface WorktreesOptions {
  config?: string;
  json?: boolean;
}

export async function worktrees(options: WorktreesOptions): Promise<number> {
  const list = await worktreesOf(findProject(options));
  if (options.json) console.log(JSON.stringify(list));
  else if (list.length === 0) console.log("No job has a worktree here.");
  else {
    const paint = paintFor(process.stdout, process.env);
    const [titles, ...rows] = table(list, columnsOf(paint), process.stdout.columns ?? 120);
    console.log(titles);
    for (const [index, { has, path = "" }] of list.entries()) {
      console.log(rows[index]);
      if (has === "worktree") console.log(paint("dim", `  ${printable(path)}`));
    }
  }
  return 0;
}

function columnsOf(paint: Paint): Column<WorktreeView>[] {
  return [
    { title: "JOB", text: ({ job }) => job },
    { title: "STATUS", text: (job) => job.status, paint: (job, text) => status(job.status, text, paint) },
    { title: "HAS", text: ({ has }) => has ?? "" },
    { title: "BRANCH", text: ({ branch }) => printable(branch ?? "") },
    { title: "WHY", text: ({ reason }) => printable(reason).split("\n")[0] ?? "" },
  ];
}
