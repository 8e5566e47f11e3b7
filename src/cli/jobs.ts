import { spentBy } from "../jobs/limits.ts";
import { jobView } from "../jobs/view.ts";
import { listJobs } from "../store/jobs.ts";
import { clock, money } from "./display/figures.ts";
import { status } from "./display/job-report.ts";
import { fitted, paintFor, printable } from "./display/style.ts";
import { findProject, lookIntoStore } from "./project.ts";

export interface JobsOptions {
  config?: string;
  json?: boolean;
  limit: number;
}

export async function jobs(options: JobsOptions): Promise<number> {
  await using store = await lookIntoStore(findProject(options));
  const list = await listJobs(store, options.limit);
  if (options.json) {
    console.log(JSON.stringify(list.map(jobView)));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  for (const job of list) {
    const parts = [
      job.id,
      job.agent.padEnd(10),
      status(job, paint) + " ".repeat(Math.max(0, 12 - job.status.length)),
      `${job.sessions.length} sessions`,
      money(job.costUsd),
      clock(spentBy(job, new Date(job.status === "running" ? Date.now() : job.updatedAt)).durationMs),
    ];
    const room = Math.max(20, (process.stdout.columns ?? 120) - 75);
    console.log(
      `${parts.join("  ")}  ${paint("dim", fitted(printable(job.prompt).replace(/\s+/g, " "), room))}`,
    );
  }
  return 0;
}
