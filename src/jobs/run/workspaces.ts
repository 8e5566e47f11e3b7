import type { Parent } from "../../job/events.ts";
import { endMarked } from "../../processes/marks.ts";
import type { Redact } from "../../secrets/redact.ts";
import type { Ledger } from "../../workspace/ledger.ts";
import { staticStrategy } from "../../workspace/static.ts";
import type { Anew, WorkspaceJob, WorkspaceStrategy } from "../../workspace/workspace.ts";
import { type WorktreeConfig, WorktreeStrategy } from "../../workspace/worktree.ts";
import type { Journal } from "../journal.ts";
import { jobMark } from "./spec.ts";

export function strategyFor(config: WorktreeConfig, ledger: Ledger): WorkspaceStrategy {
  switch (config.workspace.strategy) {
    case "static":
      return staticStrategy(config);
    case "git_worktree":
      return new WorktreeStrategy(config, ledger);
  }
}

/** What a job can do for its item of a tracker, and must ask before anything leaves this machine. */
export interface ItemHands {
  /** Throws an ItemLost where it is not the job's any more. */
  confirm: () => Promise<void>;
  openPullRequest?: NonNullable<WorkspaceJob["openPullRequest"]>;
}

interface Hands {
  /** Of the command that prepares a worktree, where not on this machine as it is. */
  runSetup?: WorkspaceJob["runSetup"];
  env: Record<string, string>;
  /** What of it the configuration gives to the user's commands by name. */
  named?: readonly string[];
  signal: AbortSignal;
  redact: Redact;
  item?: ItemHands | undefined;
  now: () => Date;
  /** Without it, as the job was started. */
  config?: { workspace: { keep: readonly string[] } };
}

/** A claimed job as its workspace sees it, at this moment. */
export function workspaceJob(
  journal: Journal,
  { env, named = [], runSetup, signal, redact, item, now, config }: Hands,
): WorkspaceJob {
  const { id, agent, prompt, workItem, schedule, workspace, agentConfig, parent } = journal.job;
  return {
    id,
    agent,
    prompt,
    ...(workItem !== null && { workItem }),
    ...(schedule !== null && { schedule }),
    ...(parent && { anew: anewOf(parent) }),
    before: workspace,
    note: (event) => journal.append(redact(event)),
    record: (event) => journal.record(redact(event)),
    warn: (message) => journal.append(redact({ type: "warning", message })),
    endProcesses: async () => {
      await endMarked(jobMark(id));
    },
    keep: (config ?? agentConfig)?.workspace?.keep ?? [],
    checkpointed: ({ ref, commit }) =>
      journal.append({ type: "checkpoint", ref, commit, reason: "before its worktree went" }),
    redact,
    env,
    named,
    ...(runSetup && { runSetup }),
    signal,
    lost: journal.lost,
    ...(item && { confirmItem: item.confirm }),
    ...(item?.openPullRequest && { openPullRequest: item.openPullRequest }),
    now,
  };
}

function anewOf(parent: Parent): Anew {
  if (parent.by === "retry") return {};
  const { head, base, baseBranch } = parent;
  return { head, ...(base && { base }), ...(baseBranch && { baseBranch }) };
}
