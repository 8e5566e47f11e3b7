import { recordedKind } from "../../agents/recorded-tool.ts";
import { noRoom } from "../../files/no-room.ts";
import { deniedView } from "../../job/denied.ts";
import type { JobEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Redact } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import { finishRemoving } from "../../workspace/removal/teardown.ts";
import type { Outcome, Workspace, WorkspaceJob, WorkspaceStrategy } from "../../workspace/workspace.ts";
import { workspaceOf } from "../../workspace/worktree.ts";
import { repositoryAt } from "../../workspace/worktrees/repository.ts";
import type { JobHooks } from "../hooks/job-hooks.ts";
import type { Journal } from "../journal.ts";
import { ItemLost, JobInterrupted } from "../reasons.ts";

export interface Closing {
  journal: Journal;
  redact: Redact;
  strategy: WorkspaceStrategy;
  hooks: JobHooks;
  work: WorkspaceJob;
  workspace: Workspace;
  outcome: Pick<Outcome, "kind" | "text">;
}

/**
 * Ends a job whose work is over: its workspace is published and removed first, since the job has only completed
 * when that is done. That it has come so far is on record, and whoever picks the job up again continues from there.
 */
export async function closeJob({ workspace, outcome, strategy, ...closing }: Closing): Promise<void> {
  const { journal, redact, hooks, work } = closing;
  const { kind, text } = outcome;
  const record = (event: JobEvent) => journal.record(redact(event));
  if (workspace.worktree || hooks.atEnd) await record({ type: "job:closing", outcome: kind, text });
  const failure = await tornDown();
  await end(closing, failure === undefined ? { kind, text } : { kind: "failed", text: failure });

  async function tornDown(): Promise<string | undefined> {
    try {
      const isPublished = workspace.worktree && kind === "completed";
      const commands = isPublished ? await commandsOf(journal) : [];
      const { failure } = await strategy.teardown(work, workspace, { kind, text, commands });
      if (failure !== undefined) throwIfInterrupted();
      return failure;
    } catch (error) {
      journal.lost.throwIfAborted();
      if (error instanceof ItemLost) throw error;
      throwIfInterrupted();
      const full = noRoom(error);
      // What was begun is on record: the job is closed when there is room.
      if (full && kind === "completed") throw full;
      const said = messageOf(error);
      await record({ type: "workspace:kept", reason: said });
      return kind === "completed" ? said : undefined;
    }
  }

  /** What was broken off in a process that has to end has not failed: it is on record, and the next one continues. */
  function throwIfInterrupted(): void {
    if (kind === "completed" && isToContinue(work.signal.reason)) throw work.signal.reason;
  }
}

/** Its closing is on record, and whoever has the job next continues it. */
function isToContinue(reason: unknown): boolean {
  return reason instanceof JobInterrupted || reason instanceof ItemLost;
}

/** The user's hooks hear of the end before the job has ended, so that a kill in between makes them hear of it again. */
async function end(
  { journal, redact, hooks, work }: Pick<Closing, "journal" | "redact" | "hooks" | "work">,
  { kind, text }: Pick<Outcome, "kind" | "text">,
): Promise<void> {
  await hooks.ended({ event: kind, text: redact(text) }, work.lost);
  await journal.record(redact(lastWord(journal.job, kind, text)));
}

function lastWord({ denied = [] }: Job, kind: Outcome["kind"], text: string): JobEvent {
  switch (kind) {
    case "completed":
      return {
        type: "job:completed",
        result: text,
        ...(denied.length > 0 && { denied: denied.map(deniedView) }),
      };
    case "failed":
      return { type: "job:failed", error: text };
    case "cancelled":
      return { type: "job:cancelled", message: text };
  }
}

/** Continues a closing that was cut off. What was done of it is on record, or can be seen. */
export async function finishClosing(closing: Omit<Closing, "workspace" | "outcome">): Promise<void> {
  const { journal, work } = closing;
  const { closing: known, workspace } = journal.job;
  if (known === null) return;
  const { outcome: kind, text } = known;
  if (workspace?.repo && workspace.state === "removing") {
    await finishRemoving(work, await repositoryAt(workspace.repo), workspace);
  }
  if (workspace?.state === "removing" || workspace?.state === "removed") {
    return end(closing, { kind, text });
  }
  const where = workspace?.repo
    ? workspaceOf(workspace)
    : { strategy: "static" as const, path: workspace?.path ?? "" };
  await closeJob({ ...closing, workspace: where, outcome: { kind, text } });
}

/** What the agent ran: whole where the facts still have it, and the beginning of every command from the journal. */
async function commandsOf(journal: Journal): Promise<string[]> {
  const [facts, calls] = await Promise.all([journal.latest("facts:collected"), journal.all("tool:start")]);
  const known = facts?.facts.commands.map(({ command }) => command) ?? [];
  return [
    ...known,
    ...calls.filter((call) => recordedKind(call) === "command").map(({ summary }) => summary),
  ];
}
