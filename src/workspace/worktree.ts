import { access } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "../config/config.ts";
import { notAgreedTo } from "../config/trust/named-files.ts";
import { clearAbandoned } from "../git/abandoned-lock.ts";
import { registeredWorktrees } from "../git/registered-worktrees.ts";
import { runCommand } from "../processes/command.ts";
import { thisProcess } from "../processes/owner.ts";
import { commandEnvironment } from "../secrets/command-environment.ts";
import { chooseBranch } from "./branches/choose-branch.ts";
import type { Ledger } from "./ledger.ts";
import { notOurPlace } from "./removal/own-place.ts";
import { clear, closeWorktree, discardHalfMade, finishRemoving } from "./removal/teardown.ts";
import {
  type Outcome,
  type Teardown,
  type Workspace,
  WorkspaceError,
  type WorkspaceJob,
  type WorkspaceRecord,
  type WorkspaceStrategy,
} from "./workspace.ts";
import { bringAlong } from "./worktrees/bring-along.ts";
import {
  addWorktree,
  checkOut,
  folderForWorktrees,
  leaseOf,
  renewLease,
  repositoryLock,
} from "./worktrees/checkout.ts";
import { workspaceEnvironment } from "./worktrees/environment.ts";
import { findWorktree } from "./worktrees/ownership.ts";
import { type Reserved, reservePorts } from "./worktrees/ports.ts";
import { openRepository, type Repository } from "./worktrees/repository.ts";
import { hasWork, restoreUncommitted, startOfRevival } from "./worktrees/revive.ts";
import { initSubmodules } from "./worktrees/submodules.ts";

/** What of an agent's configuration is about its workspace. */
export type WorktreeConfig = Pick<
  AgentConfig,
  "workingDirectory" | "repository" | "workspace" | "session" | "agreed"
>;

/** A worktree and a branch of its own for every job. */
export class WorktreeStrategy implements WorkspaceStrategy {
  readonly #config: WorktreeConfig;
  readonly #ledger: Ledger;
  #ports: Reserved | undefined;

  constructor(config: WorktreeConfig, ledger: Ledger) {
    this.#config = config;
    this.#ledger = ledger;
  }

  async setup(job: WorkspaceJob): Promise<Workspace> {
    const repo = await openRepository(this.#config, job.signal);
    // What an earlier run left is only ever removed from a folder that the configuration of now has for worktrees.
    if (job.before) await folderForWorktrees(this.#config.workspace.worktreeDir);
    const before = await this.#settled(repo, job);
    if (before && before.state !== "removed") return this.#ready(repo, job, before);
    const planned = before ? await this.#again(repo, job, before) : await this.#anew(repo, job);
    if (planned.state === "ready") return this.#ready(repo, job, planned);
    try {
      await checkOut(repo, planned.path, job.signal);
      // A fork begins with what its parent had not committed, and keeps that as its first checkpoint.
      if (before || job.anew?.head) await restoreUncommitted(repo, job.id, planned.path);
      return await this.#furnish(repo, job, planned);
    } catch (error) {
      this.#ports?.[Symbol.dispose]();
      // A set-up that failed must not stand in the way of the next try.
      if (!before) await discardHalfMade(job, repo, planned);
      throw error;
    }
  }

  async teardown(job: WorkspaceJob, workspace: Workspace, outcome: Outcome): Promise<Teardown> {
    this.#ports?.[Symbol.dispose]();
    return closeWorktree(job, workspace, this.#config, outcome);
  }

  /** What an earlier run of the job left, brought to a state to build on: whole, or gone. */
  async #settled(repo: Repository, job: WorkspaceJob): Promise<WorkspaceRecord | null> {
    const { before } = job;
    switch (before?.state) {
      case undefined:
        return null;
      case "creating":
        await discardHalfMade(job, repo, before);
        return (await hasWork(repo, job.id)) ? { ...before, state: "removed" } : null;
      case "removing":
        return this.#removed(repo, job, before);
      case "removed":
        return before;
      case "ready":
      case "kept": {
        const known = (await registeredWorktrees(repo.root)).some(({ path }) => path === before.path);
        if (known && (await isWorktree(before.path))) return before;
        const cleared = known ? await clear(job, repo, before) : undefined;
        if (cleared?.removed === false) throw new WorkspaceError(cleared.reason);
        return { ...before, state: "removed" };
      }
    }
  }

  /** A removal that was cut off is finished; where it may not be, the worktree is still whole. */
  async #removed(repo: Repository, job: WorkspaceJob, before: WorkspaceRecord): Promise<WorkspaceRecord> {
    const result = await finishRemoving(job, repo, before);
    if (result.removed) return { ...before, state: "removed" };
    if (before.halfMade || !(await isWorktree(before.path))) throw new WorkspaceError(result.reason);
    return { ...before, state: "kept" };
  }

  /** Claims a branch and registers the worktree on it, in one go: nobody else can take either in between. */
  async #anew(repo: Repository, job: WorkspaceJob): Promise<WorkspaceRecord> {
    const chosen = await chooseBranch(repo, job, this.#config, this.#ledger);
    using _lock = chosen.lock;
    if (chosen.kind === "adopt") return this.#adopt(repo, job, chosen.from);
    const { branch, base, baseBranch, from, takenUp } = chosen;
    const path = join(await folderForWorktrees(this.#config.workspace.worktreeDir), job.id);
    const planned = { repo: repo.root, path, branch, base, baseBranch, takenUp };
    await job.record({ type: "workspace:creating", ...planned });
    await chosen.prepare();
    await addWorktree(repo, { path, branch, from, reason: ourLease(job.id) });
    return recordOf(planned, "creating");
  }

  /** The worktree of an earlier job of the same work item, where the next session can go on in the last one's. */
  async #adopt(
    repo: Repository,
    job: WorkspaceJob,
    from: { job: string; workspace: WorkspaceRecord },
  ): Promise<WorkspaceRecord> {
    const { path, branch, base, baseBranch } = from.workspace;
    const planned = {
      repo: repo.root,
      path,
      branch: branch ?? "",
      base: base ?? "",
      baseBranch: baseBranch ?? "",
      takenUp: true,
    };
    // Durable in one step: it holds work, and nobody may ever take it for half made.
    job.note({ type: "workspace:creating", ...planned });
    await job.record({
      type: "workspace:ready",
      strategy: "git_worktree",
      path,
      branch: planned.branch,
      base: planned.base,
    });
    await renewLease(repo, path, ourLease(job.id));
    await this.#ledger.passOn(from.job, job.id);
    return recordOf(planned, "ready");
  }

  /** The same branch in the same place, for a job whose worktree was removed. */
  async #again(repo: Repository, job: WorkspaceJob, before: WorkspaceRecord): Promise<WorkspaceRecord> {
    using _lock = await repositoryLock(repo, job.signal);
    const { path, branch, base, baseBranch, takenUp } = before;
    if (branch === null || base === null) throw new WorkspaceError(`${job.id} has no branch on record.`);
    const foreign = await notOurPlace({ path, job: job.id });
    if (foreign !== undefined) throw new WorkspaceError(foreign);
    const holder = (await registeredWorktrees(repo.root)).find((worktree) => worktree.branch === branch);
    if (holder) {
      throw new WorkspaceError(
        `${branch} is checked out in ${holder.path}, so ${job.id} cannot continue. When that is done, resume it with \`baton resume ${job.id}\`.`,
      );
    }
    const start = await startOfRevival(repo, job.id, before);
    const planned = { repo: repo.root, path, branch, base, baseBranch: baseBranch ?? "", takenUp };
    await job.record({ type: "workspace:creating", ...planned });
    await addWorktree(repo, { path, branch, from: start, reason: ourLease(job.id) });
    return recordOf(planned, "creating");
  }

  /** What a checkout of git alone does not bring. */
  async #furnish(repo: Repository, job: WorkspaceJob, made: WorkspaceRecord): Promise<Workspace> {
    const { worktreeDir } = this.#config.workspace;
    await bringAlong(repo.root, made.path, [worktreeDir, join(repo.root, ".baton")]);
    await initSubmodules(made.path, job.signal);
    const workspace = await this.#withPorts(made);
    await this.#setupCommand(job, workspace);
    await this.#recordReady(job, workspace);
    return workspace;
  }

  /** A worktree that was whole when its job rested. */
  async #ready(repo: Repository, job: WorkspaceJob, made: WorkspaceRecord): Promise<Workspace> {
    using _lock = await repositoryLock(repo, job.signal);
    await renewLease(repo, made.path, ourLease(job.id));
    await this.#clearLocks(repo, job, made.path);
    const workspace = await this.#withPorts(made);
    await this.#recordReady(job, workspace);
    return workspace;
  }

  /**
   * A git that was killed with its job has left them, and no other one would work in the worktree any more. Only in git's
   * record of this very worktree: what the `.git` in it says may be the agent's.
   */
  async #clearLocks(repo: Repository, job: WorkspaceJob, path: string): Promise<void> {
    const own = await findWorktree({ repo: repo.root, path, job: job.id });
    if (own.kind !== "own") return;
    const left = await Promise.all(
      ["index.lock", "HEAD.lock"].map((name) => clearAbandoned(join(own.admin, name), own.path)),
    );
    for (const { path, isCleared } of left.filter((lock) => lock !== undefined)) {
      job.warn(
        isCleared
          ? `A git command that was killed had left ${path}. It is out of the way: ${path}.abandoned`
          : `There is ${path}: a git command is under way in this worktree, or was killed there. If none runs, delete it.`,
      );
    }
  }

  async #withPorts(made: WorkspaceRecord): Promise<Workspace> {
    this.#ports = await reservePorts(this.#config.workspace.ports, made.ports);
    return workspaceOf({ ...made, ports: this.#ports.ports });
  }

  async #recordReady(job: WorkspaceJob, { path, branch, base, worktree }: Workspace): Promise<void> {
    await job.record({
      type: "workspace:ready",
      strategy: "git_worktree",
      path,
      ...(branch !== undefined && { branch }),
      ...(base !== undefined && { base }),
      ports: worktree?.ports ?? [],
    });
  }

  /** The branch that a worktree is made from may have other scripts than those that the user agreed to. */
  #refuseOtherScript({ id }: WorkspaceJob, command: string, path: string): void {
    const { agreed } = this.#config;
    const script = agreed && notAgreedTo([command], path, agreed);
    if (script === undefined) return;
    throw new WorkspaceError(
      `workspace.setup_command was not run: ${script} in this worktree is not as you agreed to it.\nBring it into your own checkout, trust it with \`baton trust\`, then \`baton resume ${id}\`.`,
    );
  }

  async #setupCommand(job: WorkspaceJob, workspace: Workspace): Promise<void> {
    const { setupCommand: command, setupTimeoutMs: timeoutMs, envPrefix } = this.#config.workspace;
    if (command === undefined) return;
    this.#refuseOtherScript(job, command, workspace.path);
    const env = {
      ...commandEnvironment(job.env, { named: job.named }),
      ...workspaceEnvironment(envPrefix, workspace, job.workItem),
    };
    const { runSetup = runCommand } = job;
    const run = await runSetup({
      command,
      cwd: workspace.path,
      env,
      timeoutMs,
      signal: job.signal,
      leftovers: "leave",
    });
    job.signal.throwIfAborted();
    const { ok, stdout, stderr, durationMs, error, exitCode } = run;
    const output = [stdout, stderr, error].filter(Boolean).join("\n");
    await job.record({ type: "workspace:command", command, ok, output, durationMs });
    if (ok) return;
    const how = error ?? `exit code ${exitCode}`;
    throw new WorkspaceError(
      `workspace.setup_command failed (${how}): ${command}\nIts output is in \`baton logs ${job.id} --json\`. Correct the command, then \`baton resume ${job.id}\`.`,
    );
  }
}

/** Git does not notice where somebody has deleted the folder of a worktree that is locked. */
async function isWorktree(path: string): Promise<boolean> {
  return access(join(path, ".git")).then(
    () => true,
    () => false,
  );
}

function ourLease(job: string): string {
  const { pid, startTime } = thisProcess();
  return leaseOf(job, pid, startTime);
}

type Planned = Pick<WorkspaceRecord, "path" | "takenUp"> & {
  repo: string;
  branch: string;
  base: string;
  baseBranch: string;
};

function recordOf(planned: Planned, state: "creating" | "ready"): WorkspaceRecord {
  const nothingYet = {
    halfMade: false,
    pushed: null,
    proposal: null,
    trash: null,
    deleteBranch: null,
    reason: null,
  };
  return { ...nothingYet, ...planned, strategy: "git_worktree", state, ports: [], branchKept: false };
}

/** A worktree on record, as the relay knows it. */
export function workspaceOf({ path, branch, base, repo, baseBranch, ports }: WorkspaceRecord): Workspace {
  return {
    strategy: "git_worktree",
    path,
    ...(branch !== null && { branch }),
    ...(base !== null && { base }),
    worktree: { repo: repo ?? "", baseBranch: baseBranch ?? "", ports },
  };
}
