/** What there is under the name of a branch. `hasWork`: commits that are not in the base branch. */
export interface BranchFacts {
  local?: { commit: string; hasWork: boolean /** A job of this store made it. */; ours: boolean };
  /** `inBase`: a push of new work on the base branch would be a fast-forward. */
  remote?: { commit: string; hasWork: boolean; inBase: boolean };
  /** How the local branch stands to the remote one, where both are there. */
  against?: "same" | "behind" | "ahead" | "diverged";
  /** Who has it checked out. */
  holder?: Holder;
}

/** `elsewhere`: nobody whom the ledger knows. */
export interface Holder {
  at: "work" | "rest" | "due" | "end" | "elsewhere";
  /** Of an elsewhere only what its lock says. */
  job?: string;
  path: string;
  folderGone: boolean;
}

/** How a job comes to its branch. */
export type BranchPlan =
  /** `replaces`: a branch at this commit, all of whose work is merged, goes first. */
  | { kind: "create"; from: "base" | string; takenUp: boolean; replaces?: string }
  /** The branch is there and holds unmerged work of an earlier job. `forward`: the remote has more of it. */
  | { kind: "take-up"; commit: string; forward?: string }
  /** A job at its end still has a worktree on it, or one at rest that is due to go. */
  | { kind: "clear"; job: string }
  /** Another job has it. Only one that is at work is worth waiting for. */
  | { kind: "conflict"; with: Holder }
  /** The name is taken by what is not this work's. */
  | { kind: "other-name"; why: string };

export function planBranch({ local, remote, against, holder }: BranchFacts): BranchPlan {
  if (holder) {
    const mayGo = holder.at === "end" || holder.at === "due";
    if (mayGo && holder.job !== undefined) return { kind: "clear", job: holder.job };
    return { kind: "conflict", with: holder };
  }
  if (local?.hasWork) {
    if (!local.ours) return { kind: "other-name", why: "it holds work that no job of this project made" };
    if (against === "diverged") return { kind: "other-name", why: "it has diverged from the remote's" };
    if (against === "behind" && remote) {
      return { kind: "take-up", commit: local.commit, forward: remote.commit };
    }
    return { kind: "take-up", commit: local.commit };
  }
  if (local && !local.ours) return { kind: "other-name", why: "no job of this project made it" };
  const replaces = local && { replaces: local.commit };
  if (remote?.hasWork) return { kind: "create", from: remote.commit, takenUp: true, ...replaces };
  if (remote && !remote.inBase) {
    return { kind: "other-name", why: "its work was merged as other commits, and the remote still has it" };
  }
  return { kind: "create", from: "base", takenUp: false, ...replaces };
}
