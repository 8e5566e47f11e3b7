import { type WorktreeView, worktreesOf } from "../../app/jobs/worktrees.ts";
import { findProject } from "../../app/project.ts";
import { status } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { wrapped } from "../../display/width.ts";
import { shortId } from "../../display/words.ts";

export interface WorktreesOptions {
  config?: string;
  json?: boolean;
}

export async function worktrees(options: WorktreesOptions): Promise<number> {
  const list = await worktreesOf(findProject(options));
  if (options.json) printJson(list);
  else if (list.length === 0) printWords("No job has a worktree here.");
  else {
    const paint = paintFor(process.stdout, process.env);
    const width = tableWidth(process.stdout);
    const [titles, ...rows] = table(list, columnsOf(paint), width);
    print(titles);
    for (const [index, { has, path = "", reason }] of list.entries()) {
      print(rows[index]);
      if (has === "worktree") print(paint("dim", `  ${oneLine(shortPath(path))}`));
      const [why = "", ...advice] = reason.split("\n");
      for (const part of wrapped(oneLine(why), width - 2)) print(paint("dim", `  ${part}`));
      // It holds commands to be copied.
      for (const line of advice) print(paint("dim", `    ${oneLine(line)}`));
    }
  }
  return 0;
}

function columnsOf(paint: Paint): Column<WorktreeView>[] {
  const painted = ({ status: of }: WorktreeView, text: string) =>
    of === "unknown" ? paint("yellow", text) : status(of, text, paint);
  return [
    { title: "JOB", text: ({ job }) => shortId(job) },
    { title: "STATUS", text: (job) => job.status, paint: painted },
    { title: "HAS", text: ({ has }) => has ?? "" },
    { title: "BRANCH", text: ({ branch }) => branch ?? "" },
  ];
}
