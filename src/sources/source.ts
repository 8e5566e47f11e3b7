import type { WorkSourceConfig } from "../config/work-source.ts";
import type { OpenPullRequest } from "../workspace/workspace.ts";
import type { ClaimComments } from "./claims/comment-register.ts";

/** Which tracker work is taken from. */
type SourceKind = "github" | "linear";

/** Somebody of a tracker. */
export interface Author {
  name: string;
  /** May write to what the work is done in: only such people's words and labels count, unless configured otherwise. */
  trusted: boolean;
}

export interface ItemComment {
  id: string;
  by: Author;
  at: string;
  text: string;
}

/** One piece of work of a tracker, as it was last read. */
export interface Item {
  /** As people write it, and as it stands in branches: `17`, `ENG-42`. Unique within its source. */
  id: string;
  /** The tracker's own id, where it differs. */
  nodeId: string;
  title: string;
  text: string;
  url: string;
  /** 1 is the most urgent, 4 the least; 3 where nothing says so. */
  priority: 1 | 2 | 3 | 4;
  labels: string[];
  isOpen: boolean;
  /** Marked as free to be taken. */
  isReady: boolean;
  /** Marked as being worked on, by whomever. */
  isMarkedTaken: boolean;
  /** What it waits for, as people write it. */
  blockedBy: string[];
  assignees: string[];
  by: Author;
  createdAt: string;
  updatedAt: string;
}

/** What is read of one item before and after it is claimed. */
export interface ItemDetails extends Item {
  /** Who marked it as ready, and when. Undefined where the tracker does not tell. */
  readyBy?: { by: Author; at: string };
  /** Of people. What a Baton reports there is nobody's words, whosever account it writes with. */
  comments: ItemComment[];
}

/** How much the tracker still lets us ask. */
export interface ApiBudget {
  remaining: number | null;
  limit: number | null;
  resetsAt: string | null;
}

/** `unchanged`: nothing is new since the last poll, and it cost nothing. */
export type Poll =
  | { kind: "unchanged"; budget: ApiBudget }
  | { kind: "items"; items: Item[]; budget: ApiBudget };

/** Why a tracker did not do what it was asked. Told apart by `code`, never by text. */
export type SourceProblemCode =
  | "unreachable"
  | "limited"
  | "no-access"
  | "not-found"
  | "refused"
  | "conflict";

export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: SourceProblemCode;
  /** When it makes sense to ask again. */
  readonly retryAt: Date | undefined;

  constructor(code: SourceProblemCode, message: string, retryAt?: Date) {
    super(message);
    this.code = code;
    this.retryAt = retryAt;
  }
}

/** A tracker: about ten calls. Every write may be repeated: done twice it is as done once. */
export interface Source {
  readonly kind: SourceKind;
  /** Unique over all sources of a user: `github:acme/app`, `linear:ENG`, with the host where it is not the public one. */
  readonly name: string;
  /** Items that may be open, ready or marked as taken: enough to decide what is taken and why the rest is not. */
  poll(signal: AbortSignal): Promise<Poll>;
  /** Read anew, past every cache. Undefined: it is gone. */
  read(id: string, signal: AbortSignal): Promise<ItemDetails | undefined>;
  /** For people to see, never for deciding. */
  markTaken(item: Item, signal: AbortSignal): Promise<void>;
  /** `failed`: its label after too many attempts; otherwise it is ready again, unless `ready` is false. */
  markReleased(item: Item, how: { failed: boolean; ready: boolean }, signal: AbortSignal): Promise<void>;
  /** Work is done and waits for review (Linear: In Review; GitHub: only the label goes). Never closes an item. */
  markDelivered(item: Item, signal: AbortSignal): Promise<void>;
  /** Writes Baton's one comment of a job, or edits it. `marker`: hidden in it, by which it is found again. */
  report(item: Item, comment: { marker: string; text: string }, signal: AbortSignal): Promise<void>;
  /** Opens pull requests for the work on an item, where the tracker has the repository too. */
  pullRequests?(id: string): OpenPullRequest;
  /** Shows where the work is, beside the item. A tracker that finds that in the pull request itself has no need of it. */
  link?(item: Item, work: { url: string; title: string }, signal: AbortSignal): Promise<void>;
  /** Where claims are entered if the remote takes no refs. */
  claimComments(): ClaimComments;
  /** The server's clock, of the last answer. */
  readonly serverTime: Date | undefined;
  /** What `config check --online` finds wrong: each with what to do. `rules`: without them, those of the defaults. */
  check(signal: AbortSignal, rules?: CheckedRules): Promise<SourceFinding[]>;
}

/** What a source has to be able to tell depends on them. */
export type CheckedRules = Pick<WorkSourceConfig, "trust" | "claims">;

/** `key`: of `work_source`, to which the line is found. */
export interface SourceFinding {
  key: string;
  problem: string;
  remedy: string;
  /** It may be over by itself: nothing is refused for it. */
  passes?: true;
}
