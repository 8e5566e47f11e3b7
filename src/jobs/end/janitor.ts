import { dirname } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig, MaintenanceConfig } from "../../config/config.ts";
import { pruneWorktrees } from "../../git/registered-worktrees.ts";
import type { Job } from "../../job/job.ts";
import { thisProcess } from "../../processes/owner.ts";
import { redactor } from "../../secrets/redact.ts";
import { claimJob, JobOwnedError } from "../../store/claims.ts";
import { isClaimed, jobsThatLeave } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { messageOf } from "../../util/errors.ts";
import { deleteMergedBranch } from "../../workspace/branches/branch-removal.ts";
import type { Ledger } from "../../workspace/ledger.ts";
import { isOurTrash } from "../../workspace/removal/own-place.ts";
import { clear, discardHalfMade, finishRemoving } from "../../workspace/removal/teardown.ts";
import { sweepTrash } from "../../workspace/removal/trash.ts";
import type { WorkspaceRecord } from "../../workspace/workspace.ts";
import { workspaceOf } from "../../workspace/worktree.ts";
import { isDeleted } from "../../workspace/worktrees/ownership.ts";
import { repositoryAt } from "../../workspace/worktrees/repository.ts";
import { noHooks } from "../hooks/job-hooks.ts";
import { Journal } from "../journal.ts";
import { storeLedger } from "../ledger.ts";
import { strategyFor, workspaceJob } from "../run/workspaces.ts";
import { closeJob, finishClosing } from "./closing.ts";
import { type Leftover, leftoverOf, type Seen } from "./leftovers.ts";

/** One thing that a job left, what to do about it, and what came of that. */
export interface Finding {
  job: Job;
  leftover: Leftover;
  /** Undefined where nothing was to be done, or nothing was allowed to be. */
  done?: { ok: boolean; said: string };
}

export interface JanitorOptions {
  maintenance: MaintenanceConfig["worktreeCleanup"];
  dryRun: boolean;
  now: () => Date;
  signal: AbortSignal;
  /** In which worktrees are made, though none may be left there. */
  folders?: readonly string[];
}

/** Looks at everything in the ledger, and removes what can be proved to be safe. Touches nothing else. */
export async function tidyWorktrees(store: Store, options: JanitorOptions): Promise<Finding[]> {
  const { maintenance, dryRun, now, signal, folders = [] } = options;
  await sweepInterrupted(store, now());
  const findings: Finding[] = [];
  for (const job of await jobsThatLeave(store)) {
    if (signal.aborted) break;
    const leftover = leftoverOf(job, await seenOf(store, job), maintenance, now());
    const nothingToDo = dryRun || leftover.action === "keep";
    findings.push({
      job,
      leftover,
      ...(!nothingToDo && { done: await settle(store, job.id, leftover, options) }),
    });
  }
  if (!dryRun) {
    await pruneRecords(findings);
    await emptyTrash(findings, folders);
  }
  return findings;
}

/** What has to be looked at to know what to do about a job's worktree. */
export async function seenOf(store: Store, { id, workspace }: Job): Promise<Seen> {
  const [claimed, folderGone] = await Promise.all([
    isClaimed(store, id),
    workspace !== null && isDeleted(workspace.path),
  ]);
  return { claimed, folderGone };
}

async function settle(
  store: Store,
  job: string,
  leftover: Leftover,
  { now, signal }: Pick<JanitorOptions, "now" | "signal">,
): Promise<{ ok: boolean; said: string }> {
  try {
    return await withJob(store, job, now, (journal) => act(journal, leftover, now, signal));
  } catch (error) {
    if (error instanceof JobOwnedError) return { ok: true, said: "its job was picked up just now" };
    return { ok: false, said: messageOf(error) };
  }
}

async function act(journal: Journal, leftover: Leftover, now: () => Date, signal: AbortSignal) {
  const { job } = journal;
  const { workspace } = job;
  const config = configOf(job);
  if (workspace === null || workspace.repo === null) return { ok: true, said: "it is gone already" };
  const redact = redactor(ownEnvironment());
  const work = workspaceJob(journal, { env: ownEnvironment(), signal, redact, now });
  const repo = await repositoryAt(workspace.repo);
  switch (leftover.action) {
    case "keep":
      return { ok: true, said: leftover.reason };
    case "finish": {
      const strategy = strategyFor(config, ledgerOf(journal.store));
      await finishClosing({ journal, redact, strategy, hooks: noHooks(config, journal), work });
      return { ok: true, said: `its job is ${journal.job.status}` };
    }
    case "discard":
      await discardHalfMade(work, repo, workspace);
      return said(journal.job.workspace);
    case "go-on-removing":
      await finishRemoving(work, repo, workspace);
      return said(journal.job.workspace);
    case "remove":
      await clear(work, repo, workspace);
      return said(journal.job.workspace);
    case "look-at-branch": {
      const result = await deleteMergedBranch(work, repo, workspace, config, leftover.evenUnmerged);
      return { ok: true, said: result };
    }
  }
}

function said(workspace: WorkspaceRecord | null): { ok: boolean; said: string } {
  if (workspace?.state !== "removed") return { ok: false, said: workspace?.reason ?? "it is still there" };
  return { ok: true, said: workspace.reason ?? "it is gone" };
}

/** Ends a job that nobody runs, and closes its workspace as its own process would have. */
export async function cancelJob(journal: Journal, why: string): Promise<void> {
  const { job } = journal;
  const { workspace } = job;
  const outcome = { kind: "cancelled", text: why } as const;
  if (workspace === null || workspace.repo === null || workspace.state !== "ready") {
    return journal.record({ type: "job:cancelled", message: why });
  }
  const redact = redactor(ownEnvironment());
  const { signal } = new AbortController();
  const work = workspaceJob(journal, { env: ownEnvironment(), signal, redact, now: () => new Date() });
  const config = configOf(job);
  const strategy = strategyFor(config, ledgerOf(journal.store));
  const hooks = noHooks(config, journal);
  await closeJob({ journal, redact, strategy, hooks, work, workspace: workspaceOf(workspace), outcome });
}

/** What older removals left on disk. */
async function emptyTrash(findings: Finding[], also: readonly string[]): Promise<void> {
  const known = findings.flatMap(({ job }) => (job.workspace ? [dirname(job.workspace.path)] : []));
  for (const folder of new Set([...known, ...also])) if (await isOurTrash(folder)) await sweepTrash(folder);
}

/** Records of worktrees that are long gone and that nobody locked, whoever made them, as git's own upkeep does it. */
async function pruneRecords(findings: Finding[]): Promise<void> {
  for (const repo of new Set(findings.flatMap(({ job }) => job.workspace?.repo ?? []))) {
    await pruneWorktrees(repo).catch(() => {});
  }
}

type Recorded = Pick<AgentConfig, "workingDirectory" | "repository" | "workspace" | "session">;

/** As the job was started with: what the user configured since is for other jobs. */
function configOf({ id, agentConfig }: Job): Recorded {
  const { workingDirectory, repository, workspace, session } = agentConfig ?? {};
  if (workingDirectory === undefined || !repository || !workspace || !session) {
    throw new Error(`The configuration of ${id} is not on record.`);
  }
  return { workingDirectory, repository, workspace, session };
}

/** The ledger of a store, with the hands to change what other jobs left. */
export function ledgerOf(store: Store, cleanup?: MaintenanceConfig["worktreeCleanup"]): Ledger {
  const now = () => new Date();
  const changes: Pick<Ledger, "clear" | "passOn"> = {
    async clear(id) {
      const reason = "another job picked up its work item";
      const { signal } = new AbortController();
      const leftover = { action: "remove", reason } as const;
      const done = await settle(store, id, leftover, { now, signal });
      return done.ok ? undefined : done.said;
    },
    async passOn(id, to) {
      await withJob(store, id, now, (journal) =>
        journal.record({ type: "workspace:removed", branchKept: false, reason: `it is ${to}'s now` }),
      );
    },
  };
  return storeLedger(store, changes, cleanup);
}

async function withJob<T>(
  store: Store,
  id: string,
  now: () => Date,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  const claim = await claimJob(store, id, thisProcess(), now());
  await using journal = new Journal(store, claim, now);
  return await work(journal);
}
