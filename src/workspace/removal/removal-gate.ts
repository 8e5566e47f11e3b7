import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type TreeStatus, treeStatus } from "../../git/tree-status.ts";
import { type Occupant, occupantsOf } from "../../processes/occupants.ts";
import { type BranchFate, fateOfBranch } from "../branches/branch-fate.ts";
import { type Checkpoint, keepCommit, listCheckpoints, makeCheckpoint } from "../checkpoint.ts";
import type { OwnWorktree } from "../worktrees/ownership.ts";
import type { Removal, RemovalSteps } from "./remove.ts";
import { type Unpushed, unpushedModules, unpushedRepositories } from "./unpushed.ts";

/** What was found to be safe. */
export interface Passed {
  /** What was checked out when it was looked at. */
  head: string | undefined;
  fate: BranchFate;
  /** Holds what the worktree has, where it has anything. */
  checkpoint?: Kept | undefined;
  /** What a user should know about a HEAD that is not on the job's branch. */
  note?: string | undefined;
}

interface Kept {
  ref: string;
  commit: string;
}

export interface Refused {
  refused: string;
}

/** Whether a worktree of ours may go: nobody is in it, and all that it holds is elsewhere too. */
export async function passGate(
  what: Removal,
  found: OwnWorktree,
  steps: Pick<RemovalSteps, "endProcesses" | "checkpointed" | "leaveIgnored">,
): Promise<Passed | Refused> {
  await steps.endProcesses();
  const { path, admin, entry, hasFolder } = found;
  const occupants = hasFolder ? await occupantsThatStay(path) : [];
  if (occupants.length > 0) return refuse(`${path} is in use by ${named(occupants)}.`, "Leave it there");
  const halfMade = hasFolder ? await signOfHalfMade(found) : undefined;
  if (halfMade !== undefined) {
    if (!what.neverReady)
      return refuse(`${path} is only half checked out: ${halfMade.why}.`, halfMade.advice);
    return { head: entry.head, fate: await fateOfBranch(what, {}) };
  }
  const middle = await unfinishedWork(admin);
  if (middle) return refuse(`${path} is in the middle of ${middle}.`, "Finish or abort it there");
  return hasFolder ? passTree(what, found, steps) : passRecord(what, found, steps);
}

async function passTree(
  what: Removal,
  { path }: OwnWorktree,
  steps: Pick<RemovalSteps, "checkpointed" | "leaveIgnored">,
): Promise<Passed | Refused> {
  const [status, known] = await Promise.all([treeStatus(path), listCheckpoints(what.repo, what.job)]);
  const { head, overlooked } = status;
  if (overlooked.length > 0) {
    const files = overlooked.join(", ");
    return refuse(`Git was told to overlook changes in ${path}: ${files}.`, "Commit them, or put them back");
  }
  const unpushed = await unpushedRepositories(path, status);
  if (unpushed.length > 0) return refuseFor(path, unpushed);
  // In a worktree that was never ready is nothing but what Baton put there.
  const ignored = what.neverReady ? [] : await steps.leaveIgnored(path);
  if ("refused" in ignored) return refuse(ignored.refused, "Fix that");
  const [checkpoint, fate] = await Promise.all([
    keepTree(what, path, status, known, ignored),
    fateOfBranch(what, status),
  ]);
  if (status.changed && !checkpoint) return refuse(`${path} is in no repository.`, "Look at its .git");
  if (checkpoint) steps.checkpointed(checkpoint);
  return { head, fate, checkpoint, note: noteOn(what, status, fate, checkpoint) };
}

/** Somebody has deleted the folder, and git's record of it is left. */
async function passRecord(
  what: Removal,
  { path, admin, entry }: OwnWorktree,
  steps: Pick<RemovalSteps, "checkpointed">,
): Promise<Passed | Refused> {
  if (!(await isThere(dirname(path)))) return refuse(`${dirname(path)} is not there.`, "Bring it back");
  const unpushed = await unpushedModules(admin);
  if (unpushed.length > 0) return refuseFor(path, unpushed);
  const { head } = entry;
  const known = await listCheckpoints(what.repo, what.job);
  const checkpoint =
    checkpointOn(head, known) ?? (head && (await keepCommit(what.repo, what.job, head, known)));
  if (checkpoint) steps.checkpointed(checkpoint);
  return { head, fate: await fateOfBranch(what, entry), checkpoint: checkpoint || undefined };
}

/** Undefined where there is nothing to keep. */
async function keepTree(
  what: Removal,
  path: string,
  { head, changed }: TreeStatus,
  known: Checkpoint[],
  ignored: string[],
): Promise<Kept | undefined> {
  const { repo, job, base, neverReady } = what;
  // Nobody has worked in it: what it was to be brought back from is still all that there is.
  const source = neverReady ? checkpointOn(head, known) : undefined;
  if (source) return source;
  if (changed || ignored.length > 0) {
    return makeCheckpoint(path, job, `${job}: before its worktree was removed`, ignored);
  }
  if (head === undefined || (neverReady && head === base)) return undefined;
  return keepCommit(repo, job, head, known);
}

/** The newest checkpoint, where it holds uncommitted files on this commit: another after it would hide them. */
function checkpointOn(head: string | undefined, known: Checkpoint[]): Kept | undefined {
  const newest = known.at(-1);
  const [on] = newest?.parents.split(" ") ?? [];
  return head !== undefined && on === head ? newest : undefined;
}

function noteOn(
  { branch }: Removal,
  status: TreeStatus,
  fate: BranchFate,
  checkpoint: Kept | undefined,
): string | undefined {
  if (status.branch === branch) return undefined;
  if (status.branch !== undefined) return `The worktree was on the branch ${status.branch}, which stays.`;
  if (fate.kind === "delete" || checkpoint === undefined) return undefined;
  return `The worktree was on no branch; ${checkpoint.ref} holds what was checked out.`;
}

const LOOKS = 10;
const PAUSE_MS = 50;

/** A command that only looks, such as the status in somebody's prompt, is soon over. */
async function occupantsThatStay(path: string): Promise<Occupant[]> {
  for (let look = 1; ; look++) {
    const found = await occupantsOf(path);
    if (found.length === 0 || look === LOOKS) return found;
    await sleep(PAUSE_MS);
  }
}

function named(occupants: Occupant[]): string {
  return occupants.map(({ pid, command }) => `${command} (process ${pid})`).join(", ");
}

async function signOfHalfMade(found: OwnWorktree): Promise<{ why: string; advice: string } | undefined> {
  const { path, admin, entry } = found;
  const lock = join(admin, "index.lock");
  const advice = "Take out of it what you need";
  if (entry.locked === "initializing") return { why: "git did not come to the end of making it", advice };
  if (await isThere(lock)) {
    const why = "a git command is at work there, or was killed";
    return { why, advice: `If none is at work, delete ${lock}` };
  }
  if (!(await isThere(join(admin, "index")))) return { why: "git has no index for it", advice };
  return (await isThere(join(path, ".git"))) ? undefined : { why: "it has no .git", advice };
}

/** What would be lost with git's record of the worktree: commits that only a file in there names. */
async function unfinishedWork(admin: string): Promise<string | undefined> {
  if (await isThere(join(admin, "rebase-merge"))) return "a rebase";
  if (await isThere(join(admin, "rebase-apply"))) return "a rebase, or of applying patches";
  return (await isThere(join(admin, "MERGE_AUTOSTASH"))) ? "a merge that has put changes aside" : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function refuseFor(path: string, unpushed: Unpushed[]): Refused {
  const all = unpushed.map((one) => `${one.path} ${one.why}`).join("; ");
  return refuse(`Work in ${path} is nowhere else: ${all}.`, "Push it, or delete it");
}

/** The worktree stays on the list of those that are looked at again. */
function refuse(why: string, advice: string): Refused {
  return { refused: `${why} ${advice}, and Baton removes the worktree when it cleans up next.` };
}
