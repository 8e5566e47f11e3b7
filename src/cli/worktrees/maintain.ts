import { maintainProject } from "../../app/jobs/maintain.ts";
import type { WorktreeView } from "../../app/jobs/worktrees.ts";
import { findProject } from "../../app/project.ts";
import { printError, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor, printable } from "../../display/style.ts";
import { counted } from "../../util/figures.ts";

export interface MaintainCommandOptions {
  config?: string;
  json?: boolean;
  dryRun?: boolean;
}

export async function maintain(options: MaintainCommandOptions): Promise<number> {
  const project = findProject(options);
  const dryRun = options.dryRun ?? false;
  const { signal } = new AbortController();
  const found = await maintainProject(project, { dryRun, signal });
  if (!found) {
    printError("Another Baton process is already doing this.");
    return 1;
  }
  const { worktrees, checkpoints, expiredSessions, compacted, containers, temporary } = found;
  if (options.json) printJson(found);
  else {
    const paint = paintFor(process.stdout, process.env);
    for (const worktree of worktrees) printWords(line(worktree, paint));
    for (const { job, refs } of checkpoints) {
      const what = `${counted(refs.length, "checkpoint")} of ${job} ${dryRun ? "would be removed" : "removed"}`;
      printWords(`${what}: the remote has everything in ${refs.length === 1 ? "it" : "them"}`);
    }
    if (expiredSessions > 0) {
      printWords(
        `${counted(expiredSessions, "session record")} ${dryRun ? "would be removed" : "removed"}: expired`,
      );
    }
    const what = dryRun ? paint("yellow", "would go") : paint("green", "done    ");
    for (const { job, events } of compacted)
      printWords(`${what} ${job}: ${counted(events, "event")} of its journal`);
    for (const { id, engine, job } of containers) {
      printWords(`${what} ${engine} container ${printable(id)} of ${printable(job)}: its owner is gone`);
    }
    for (const path of temporary) {
      printWords(`${what} ${printable(path)}: its process is gone`);
    }
    const none = [worktrees, checkpoints, compacted, containers, temporary].every(
      ({ length }) => length === 0,
    );
    if (none && expiredSessions === 0) printWords("There is nothing to remove.");
  }
  return worktrees.some(({ done }) => done?.ok === false) ? 1 : 0;
}

function line({ job, branch, action, reason, done }: WorktreeView, paint: Paint): string {
  const what = `${job} ${paint("dim", printable(branch ?? ""))}`;
  const why = printable(done?.said ?? reason);
  if (action === "keep") return `${paint("dim", "stays   ")} ${what}: ${why}`;
  if (!done) return `${paint("yellow", "would go")} ${what}: ${why}`;
  return `${done.ok ? paint("green", "done    ") : paint("red", "stays   ")} ${what}: ${why}`;
}
