import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../config/config.ts";
import type { FileLock } from "../../files/lock.ts";
import { askGit, git } from "../../git/git.ts";
import { type Registered, registeredWorktrees } from "../../git/registered-worktrees.ts";
import type { Ledger, LedgerEntry } from "../ledger.ts";
import { isAncestor, isMerged } from "../removal/merged.ts";
import {
  type Anew,
  WorkspaceError,
  type WorkspaceJob,
  type WorkspaceRecord,
  WorkspaceTaken,
} from "../workspace.ts";
import { leaseIn, repositoryLock } from "../worktrees/checkout.ts";
import { isDeleted } from "../worktrees/ownership.ts";
import { baseOf, fetchRemote, type Repository } from "../worktrees/repository.ts";
import { branchName, withSuffix } from "./branch.ts";
import { commitOf } from "./branch-fate.ts";
import { type BranchFacts, type BranchPlan, type Holder, planBranch } from "./branch-plan.ts";

/** A branch for the job, with the repository's lock, under which nobody else can take it. */
export type Chosen = { lock: FileLock } & (
  | {
      kind: "branch";
      branch: string;
      /** What the work on the branch is counted from. */
      base: string;
      baseBranch: string;
      /** Where a new branch begins; null where it is there. */
      from: string | null;
      takenUp: boolean;
      /** To be done once the intent is on record. */
      prepare: () => Promise<void>;
    }
  | { kind: "adopt"; from: { job: string; workspace: WorkspaceRecord } }
);

const NAMES_TRIED = 100;
const QUEUE_POLL_MS = 500;

export async function chooseBranch(
  repo: Repository,
  job: WorkspaceJob,
  config: Pick<AgentConfig, "repository" | "workspace" | "session">,
  ledger: Ledger,
): Promise<Chosen> {
  const { branchPattern, fetchBeforeSetup, onBranchConflict } = config.workspace;
  if (fetchBeforeSetup) {
    const problem = await fetchRemote(repo, job.signal);
    if (problem) job.warn(problem);
  }
  const { id: jobId, agent, workItem, schedule } = job;
  const wanted = branchName(branchPattern, {
    agent,
    jobId,
    date: job.now(),
    ...(workItem && { workItem: workItem.name ?? workItem.id }),
    ...(schedule !== undefined && { schedule }),
  });
  let waitsFor: string | undefined;
  let name = wanted;
  let number = 1;
  for (;;) {
    // Read before the lock is taken: nobody else's worktree has to wait for that.
    const base = await baseOf(repo, config.repository.defaultBranch);
    const lock = await repositoryLock(repo, job.signal);
    let step: Step;
    try {
      step = await look(repo, name, base, config, ledger, job.anew);
    } catch (error) {
      lock.release();
      throw error;
    }
    if (step.kind === "take") return { lock, ...step.chosen };
    lock.release();
    switch (step.kind) {
      case "clear": {
        const problem = await ledger.clear(step.job);
        if (problem === undefined) continue;
        throw new WorkspaceError(
          `${name} is still checked out in the worktree of ${step.job}, which cannot be removed: ${problem}`,
        );
      }
      case "other-name":
        break;
      case "conflict": {
        if (step.job === jobId) throw halfMade(name, step.path, jobId);
        if (onBranchConflict === "suffix") break;
        if (onBranchConflict === "skip" || step.at !== "work") throw taken(repo, name, step, workItem?.id);
        if (waitsFor !== step.job) {
          waitsFor = step.job;
          const message = `${step.job} works on ${name}. This job waits until that is over.`;
          await job.record({ type: "workspace:waiting", behind: step.job ?? "", message });
        }
        await sleep(QUEUE_POLL_MS, undefined, { signal: job.signal });
        continue;
      }
    }
    number += 1;
    if (number > NAMES_TRIED)
      throw new WorkspaceError(`${wanted} and ${NAMES_TRIED} names like it are taken.`);
    name = withSuffix(wanted, number);
  }
}

type Step =
  | {
      kind: "take";
      chosen:
        | Omit<Extract<Chosen, { kind: "branch" }>, "lock">
        | Omit<Extract<Chosen, { kind: "adopt" }>, "lock">;
    }
  | { kind: "clear"; job: string }
  | { kind: "other-name"; why: string }
  | ({ kind: "conflict" } & Holder);

/** Under the repository's lock. */
async function look(
  repo: Repository,
  branch: string,
  base: { branch: string; commit: string },
  { session }: Pick<AgentConfig, "session">,
  ledger: Ledger,
  anew: Anew | undefined,
): Promise<Step> {
  const [entries, registered] = await Promise.all([ledger.entries(), registeredWorktrees(repo.root)]);
  const plan: BranchPlan = planBranch(await factsOf(repo, branch, base.commit, entries, registered));
  if (anew) return plan.kind === "create" && isUnused(plan) ? takeNew(branch, base, anew) : UNWANTED;
  const common = { branch, baseBranch: base.branch };
  switch (plan.kind) {
    case "create": {
      const from = plan.from === "base" ? base.commit : plan.from;
      const { replaces } = plan;
      const prepare = async () => {
        if (replaces) await git(repo.root, ["update-ref", "-d", `refs/heads/${branch}`, replaces]);
      };
      const began = plan.takenUp ? await mergeBase(repo, base.commit, from) : base.commit;
      const takenUp = plan.takenUp;
      return { kind: "take", chosen: { kind: "branch", ...common, base: began, from, takenUp, prepare } };
    }
    case "take-up": {
      const { commit, forward } = plan;
      const prepare = async () => {
        if (forward) await git(repo.root, ["update-ref", `refs/heads/${branch}`, forward, commit]);
      };
      const began = await mergeBase(repo, base.commit, forward ?? commit);
      return {
        kind: "take",
        chosen: { kind: "branch", ...common, base: began, from: null, takenUp: true, prepare },
      };
    }
    case "clear": {
      const holder = entries.find(({ job }) => job === plan.job);
      if (holder?.at === "end" && session.mode === "persistent" && holder.workspace.state !== "removing") {
        return { kind: "take", chosen: { kind: "adopt", from: holder } };
      }
      return plan;
    }
    case "conflict":
      return { kind: "conflict", ...plan.with };
    case "other-name":
      return plan;
  }
}

function isUnused({ takenUp, replaces }: Extract<BranchPlan, { kind: "create" }>): boolean {
  return !takenUp && replaces === undefined;
}

const UNWANTED = { kind: "other-name", why: "another job has it" } as const;

function takeNew(branch: string, base: { branch: string; commit: string }, anew: Anew): Step {
  const { head: from = base.commit, base: began = base.commit, baseBranch = base.branch } = anew;
  const prepare = async () => {};
  return {
    kind: "take",
    chosen: { kind: "branch", branch, baseBranch, base: began, from, takenUp: false, prepare },
  };
}

async function factsOf(
  repo: Repository,
  branch: string,
  base: string,
  entries: LedgerEntry[],
  registered: Registered[],
): Promise<BranchFacts> {
  const remoteRef = repo.remote && `refs/remotes/${repo.remote}/${branch}`;
  const [local, remote] = await Promise.all([
    commitOf(repo.root, branch),
    remoteRef ? askGit(repo.root, ["rev-parse", "--verify", "--quiet", `${remoteRef}^{commit}`]) : undefined,
  ]);
  const holder = registered.find((worktree) => worktree.branch === branch);
  const entry = holder && entries.find(({ workspace }) => workspace.path === holder.path);
  const ours = entries.some(({ workspace }) => workspace.repo === repo.root && workspace.branch === branch);
  return {
    ...(local && { local: { commit: local, ours, hasWork: await hasWork(repo, local, base) } }),
    ...(remote && {
      remote: {
        commit: remote,
        hasWork: await hasWork(repo, remote, base),
        inBase: await isAncestor(repo.root, remote, base),
      },
    }),
    ...(local && remote && { against: await compared(repo, local, remote) }),
    ...(holder && { holder: await holderOf(holder, entry) }),
  };
}

async function holderOf({ path, locked }: Registered, entry: LedgerEntry | undefined): Promise<Holder> {
  const job = entry?.job ?? leaseIn(locked)?.job;
  const folderGone = await isDeleted(path);
  return { at: entry?.at ?? "elsewhere", path, folderGone, ...(job !== undefined && { job }) };
}

async function hasWork(repo: Repository, commit: string, base: string): Promise<boolean> {
  return !(await isMerged(repo.root, commit, base, base));
}

async function compared(
  repo: Repository,
  local: string,
  remote: string,
): Promise<NonNullable<BranchFacts["against"]>> {
  if (local === remote) return "same";
  if (await isAncestor(repo.root, local, remote)) return "behind";
  return (await isAncestor(repo.root, remote, local)) ? "ahead" : "diverged";
}

/** Histories that share nothing are counted from their own beginning. */
async function mergeBase(repo: Repository, base: string, commit: string): Promise<string> {
  return (await askGit(repo.root, ["merge-base", base, commit])) ?? base;
}

/** The job's own worktree from a set-up that was cut off, where it could not be removed. */
function halfMade(branch: string, path: string, job: string): Error {
  return new WorkspaceError(
    `${branch} is checked out in ${path}, which is only half made and cannot be removed: \`baton worktrees\` says why.\nThen \`baton resume ${job}\`.`,
  );
}

function taken(
  { root }: Repository,
  branch: string,
  { at, job, path, folderGone }: Holder,
  workItem: string | undefined,
): Error {
  const what = workItem === undefined ? branch : `${workItem} (${branch})`;
  switch (at) {
    case "work":
      return new WorkspaceTaken(`Skipped: ${job} works on ${what} already.`);
    case "rest":
      return new WorkspaceTaken(
        `Skipped: ${job} has begun ${what} and can continue. Resume it with \`baton resume ${job}\`, or end it with \`baton cancel ${job}\`.`,
      );
    case "due":
    case "end":
    case "elsewhere":
      if (job !== undefined) {
        return new WorkspaceTaken(
          `Skipped: ${branch} is checked out in ${path}, a worktree of ${job} that no record of this project knows. \`baton worktrees\` says what can be done.`,
        );
      }
      if (folderGone) {
        return new WorkspaceTaken(
          `Skipped: for git, ${branch} is checked out in ${path}, which is gone. Bring it back, or have git forget it with \`git -C ${root} worktree prune\`.`,
        );
      }
      return new WorkspaceTaken(
        `Skipped: ${branch} is checked out in ${path}, which is not a worktree of this project's jobs. Switch it to another branch, or set workspace.on_branch_conflict: suffix.`,
      );
  }
}
