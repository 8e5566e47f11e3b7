import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ifMissing } from "../../git/folder.ts";
import { askGit, GitError, tryGit } from "../../git/git.ts";
import { type Registered, registeredWorktrees } from "../../git/registered-worktrees.ts";
import { type BranchFate, commitOf, fateOfBranch } from "../branches/branch-fate.ts";
import { repositoryLock } from "../worktrees/checkout.ts";
import { findWorktree } from "../worktrees/ownership.ts";
import { type Passed, passGate } from "./removal-gate.ts";
import { deleteInBackground, trashFor } from "./trash.ts";

/** A worktree that is to go. */
export interface Removal {
  repo: string;
  path: string;
  branch: string | null;
  /** Whose it must be, and whose checkpoint holds what is not committed. */
  job: string;
  remote?: string;
  /** The commit that the work on the branch is counted from. */
  base: string | null;
  /** Its set-up did not come to its end, so that it may be half made. */
  neverReady?: boolean;
}

/** `reason`: why it, or its branch, is still there. */
export type RemovalResult =
  | { removed: true; branchKept: boolean; reason?: string }
  | { removed: false; reason: string };

export interface RemovalSteps {
  /** Makes durable where the worktree is moved to, and at which commit its branch is deleted. */
  removing(plan: { trash: string; deleteBranch?: string }): Promise<void>;
  /** Ends the agent's own processes, before others are looked for. */
  endProcesses(): Promise<void>;
  /** Says what becomes of ignored files, and which of them the checkpoint is to hold; or why they cannot be left. */
  leaveIgnored(worktree: string): Promise<string[] | { refused: string }>;
  checkpointed(made: { ref: string; commit: string }): void;
}

interface Options {
  signal: AbortSignal;
}

/**
 * Removes a worktree when each step can be proved safe, and says why where one cannot. Killed at any point, it has
 * lost nothing, and `finishRemoval` continues from what `removing` made durable.
 */
export function removeWorktree(
  what: Removal,
  steps: RemovalSteps,
  { signal }: Options,
): Promise<RemovalResult> {
  return orKept(what, signal, async () => {
    const found = await findWorktree(what);
    if (found.kind === "foreign") return kept(found.reason);
    if (found.kind === "gone") {
      const fate = await fateOfBranch(what, await asIfCheckedOut(what));
      return carryOut(what, { fate, head: undefined, commonDir: found.commonDir }, signal);
    }
    const passed = await passGate(what, found, steps);
    if ("refused" in passed) return kept(passed.refused);
    const { fate } = passed;
    const trash = trashFor(found.path, what.job);
    await steps.removing({ trash, ...(fate.kind === "delete" && { deleteBranch: fate.at }) });
    return carryOut(what, { ...passed, trash, commonDir: found.commonDir }, signal);
  });
}

/** Goes on after a kill: the folder may be in its place or in the trash, registered or not, the branch there or not. */
export function finishRemoval(
  what: Removal & { trash: string; deleteBranch: string | null },
  { leaveIgnored }: Pick<RemovalSteps, "leaveIgnored">,
  { signal }: Options,
): Promise<RemovalResult> {
  return orKept(what, signal, async () => {
    const { trash, deleteBranch } = what;
    const found = await findWorktree(what);
    if (found.kind === "foreign") return kept(found.reason);
    const { commonDir } = found;
    if (found.kind === "gone" || !found.hasFolder) {
      const fate = await recordedFate(what);
      return carryOut(what, { fate, head: undefined, trash, commonDir }, signal);
    }
    // Nothing was moved yet, and somebody may have worked there since.
    const steps = { endProcesses: async () => {}, checkpointed: () => {}, leaveIgnored };
    const passed = await passGate(what, found, steps);
    if ("refused" in passed) return kept(passed.refused);
    const { fate } = passed;
    const isOnRecord = fate.kind !== "delete" || fate.at === deleteBranch;
    const plan = { ...passed, ...(!isOnRecord && { fate: await recordedFate(what) }), trash, commonDir };
    return carryOut(what, plan, signal);
  });
}

interface Plan extends Passed {
  commonDir: string;
  trash?: string;
}

/** Each step leaves something that `finishRemoval` knows how to go on from. */
async function carryOut(what: Removal, plan: Plan, signal: AbortSignal): Promise<RemovalResult> {
  using _lock = await repositoryLock(plan, signal);
  const [found, lost] = await Promise.all([findWorktree(what), lostCheckpoint(what, plan)]);
  if (found.kind === "foreign") return kept(found.reason);
  if (lost !== undefined) return kept(lost);
  if (found.kind === "own") {
    const { path, entry, hasFolder } = found;
    if (hasFolder) {
      if (plan.trash === undefined || entry.head !== plan.head) {
        return kept(`Something else was checked out in ${path} while it was being inspected, so it stays.`);
      }
      const stuck = await moveAway(path, plan.trash);
      if (stuck !== undefined) return kept(stuck);
    }
    const registered = await deregister(what.repo, path);
    if (registered !== undefined) return kept(registered);
  }
  if (what.neverReady) await forgetBegun(what, plan.commonDir);
  const { branchKept, reason } = await endBranch(what, plan.fate, found.others);
  if (plan.trash !== undefined && (await lstat(plan.trash).catch(() => undefined))) {
    deleteInBackground([plan.trash]);
  }
  const reasons = [reason, plan.note].filter((one) => one !== undefined);
  return { removed: true, branchKept, ...(reasons.length > 0 && { reason: reasons.join(" ") }) };
}

async function lostCheckpoint({ repo, path }: Removal, { checkpoint }: Plan): Promise<string | undefined> {
  if (!checkpoint) return undefined;
  const { ref, commit } = checkpoint;
  const there = await askGit(repo, ["rev-parse", "--verify", "--quiet", ref]);
  return there === commit
    ? undefined
    : `${path} stays: its checkpoint ${ref} is not at ${commit} in ${repo}.`;
}

async function moveAway(path: string, trash: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(trash), { recursive: true });
    await rename(path, trash);
    return undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `${path} could not be moved to ${trash} (${error.code}). See who uses it; Baton tries again when it cleans up next.`;
  }
}

const ATTEMPTS = 3;

/** With the folder away git only forgets this one worktree, whatever its lock says. */
async function deregister(repo: string, path: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const run = await tryGit(repo, ["worktree", "remove", "--force", "--force", "--", path]);
    if (run.ok || (await registeredWorktrees(repo)).every((one) => one.path !== path)) return undefined;
    // Git stumbles over the record of another worktree that is removed at the same moment.
    if (attempt < ATTEMPTS) continue;
    const command = `git -C ${repo} worktree remove --force --force ${path}`;
    return `The folder ${path} is in the trash, but git still lists it: ${run.said}. Run \`${command}\`.`;
  }
}

/** A record that git had only begun when it was killed: git does not list it, and does not prune what is locked. */
async function forgetBegun({ path }: Removal, commonDir: string): Promise<void> {
  const record = join(commonDir, "worktrees", basename(path));
  const isBegun = (await lstat(join(record, "gitdir")).catch(ifMissing)) === undefined;
  if (isBegun) await rm(record, { recursive: true, force: true });
}

interface BranchEnd {
  branchKept: boolean;
  reason?: string;
}

async function endBranch(what: Removal, fate: BranchFate, others: Registered[]): Promise<BranchEnd> {
  const { repo, branch } = what;
  if (fate.kind === "none" || branch === null) return { branchKept: false };
  if (fate.kind === "keep") return { branchKept: true, reason: fate.reason };
  const stays = (why: string) => ({ branchKept: true, reason: `The branch ${branch} stays: ${why}.` });
  const holder = others.find((one) => one.branch === branch);
  if (holder) return stays(`it is checked out in ${holder.path}`);
  // Were it a link to another branch, that one would go.
  const run = await tryGit(repo, ["update-ref", "--no-deref", "-d", `refs/heads/${branch}`, fate.at]);
  const left = run.ok ? undefined : await commitOf(repo, branch);
  if (left === undefined) return { branchKept: false };
  return stays(left === fate.at ? run.said : `it has moved to ${left.slice(0, 12)} meanwhile`);
}

async function recordedFate(what: Removal & { deleteBranch: string | null }): Promise<BranchFate> {
  const { repo, branch, deleteBranch } = what;
  if (deleteBranch !== null) return { kind: "delete", at: deleteBranch };
  if (branch === null || (await commitOf(repo, branch)) === undefined) return { kind: "none" };
  return { kind: "keep", reason: `The branch ${branch} stays: it was not found to be safe elsewhere.` };
}

/** Without a worktree, the branch is looked at as it is. */
async function asIfCheckedOut({ repo, branch }: Removal): Promise<{ branch?: string; head?: string }> {
  const head = branch === null ? undefined : await commitOf(repo, branch);
  return { ...(branch !== null && { branch }), ...(head !== undefined && { head }) };
}

/** What cannot be looked at cannot be proved safe. */
async function orKept(
  { path }: Removal,
  signal: AbortSignal,
  work: () => Promise<RemovalResult>,
): Promise<RemovalResult> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitError) && !isSystemError(error)) throw error;
    return kept(`${path} was left alone, because it could not be inspected. ${error.message}`);
  }
}

function kept(reason: string): RemovalResult {
  return { removed: false, reason };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
