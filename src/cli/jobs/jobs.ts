import { jobView, newestJobs } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import { statusOf, timeOf } from "../../display/job-report.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";
import { costInWords, statusInWords } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";

export interface JobsOptions {
  config?: string;
  json?: boolean;
  limit: number;
}

export async function jobs(options: JobsOptions): Promise<number> {
  const list = await newestJobs(findProject(options), options.limit);
  if (options.json) printJson(list.map(jobView));
  else if (list.length === 0) print('No jobs yet. Start one with: baton run "what to do"');
  else {
    const { columns = 120 } = process.stdout;
    print(table(list, columnsOf(paintFor(process.stdout, process.env)), columns).join("\n"));
  }
  return 0;
}

function columnsOf(paint: Paint): Column<Job>[] {
  return [
    { title: "JOB", text: (job) => job.id },
    { title: "AGENT", text: (job) => job.agent },
    { title: "STATUS", text: statusInWords, paint: (job, text) => statusOf(job, text, paint) },
    { title: "SESSIONS", text: (job) => String(job.sessions.length), align: "right" },
    { title: "COST", text: costInWords, align: "right" },
    { title: "TIME", text: (job) => timeOf(job, new Date()), align: "right" },
    { title: "REQUEST", text: (job) => oneLine(job.prompt), paint: (_job, text) => paint("dim", text) },
  ];
}
