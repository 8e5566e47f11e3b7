import { type WorktreeView, worktreesOf } from "../../app/jobs/worktrees.ts";
import { findProject } from "../../app/project.ts";
import { status } from "../../display/job-report.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";

export interface WorktreesOptions {
  config?: string;
  json?: boolean;
}

export async function worktrees(options: WorktreesOptions): Promise<number> {
  const list = await worktreesOf(findProject(options));
  if (options.json) printJson(list);
  else if (list.length === 0) print("No job has a worktree here.");
  else {
    const paint = paintFor(process.stdout, process.env);
    const [titles, ...rows] = table(list, columnsOf(paint), process.stdout.columns ?? 120);
    print(titles);
    for (const [index, { has, path = "", reason }] of list.entries()) {
      print(rows[index]);
      if (has === "worktree") print(paint("dim", `  ${oneLine(path)}`));
      for (const advice of reason.split("\n").slice(1)) print(paint("dim", `    ${oneLine(advice)}`));
    }
  }
  return 0;
}

function columnsOf(paint: Paint): Column<WorktreeView>[] {
  const painted = ({ status: of }: WorktreeView, text: string) =>
    of === "unknown" ? paint("yellow", text) : status(of, text, paint);
  return [
    { title: "JOB", text: ({ job }) => job },
    { title: "STATUS", text: (job) => job.status, paint: painted },
    { title: "HAS", text: ({ has }) => has ?? "" },
    { title: "BRANCH", text: ({ branch }) => branch ?? "" },
    { title: "WHY", text: ({ reason }) => reason.split("\n")[0] ?? "" },
  ];
}
