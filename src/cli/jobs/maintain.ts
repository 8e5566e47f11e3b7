import { configOf, findProject, openStoreOfJobs } from "../../app/project.ts";
import { worktreeView } from "../../app/worktree-view.ts";
import { type Paint, paintFor, printable } from "../../display/style.ts";
import type { Finding } from "../../jobs/end/janitor.ts";
import { counted } from "../../util/figures.ts";

export interface MaintainCommandOptions {
  config?: string;
  json?: boolean;
  dryRun?: boolean;
}

export async function maintain(options: MaintainCommandOptions): Promise<number> {
  const project = findProject(options);
  const { maintenance } = await configOf(project);
  const dryRun = options.dryRun ?? false;
  await using store = await openStoreOfJobs(project);
  const { maintain } = await import("../../jobs/end/maintenance.ts");
  const { signal } = new AbortController();
  const found = await maintain(store, maintenance, { dryRun, signal, now: () => new Date() });
  if (!found) {
    console.error("Another Baton process is doing this already.");
    return 1;
  }
  const { worktrees, expiredSessions } = found;
  if (options.json) console.log(JSON.stringify({ worktrees: worktrees.map(worktreeView), expiredSessions }));
  else {
    const paint = paintFor(process.stdout, process.env);
    for (const finding of worktrees) console.log(line(finding, paint));
    if (expiredSessions > 0) {
      console.log(`${counted(expiredSessions, "session record")} ${dryRun ? "would go" : "went"}: expired`);
    }
    if (worktrees.length === 0 && expiredSessions === 0) console.log("There is nothing to remove.");
  }
  return worktrees.some(({ done }) => done?.ok === false) ? 1 : 0;
}

function line({ job, leftover, done }: Finding, paint: Paint): string {
  const what = `${job.id} ${paint("dim", printable(job.workspace?.branch ?? ""))}`;
  const why = printable(done?.said ?? leftover.reason);
  if (leftover.action === "keep") return `${paint("dim", "stays   ")} ${what}: ${why}`;
  if (!done) return `${paint("yellow", "would go")} ${what}: ${why}`;
  return `${done.ok ? paint("green", "done    ") : paint("red", "stays   ")} ${what}: ${why}`;
}
