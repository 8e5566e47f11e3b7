/** One that a job holds on an item. All of it is checked at the remote, not by what a database or a label says. */
export interface Claim {
  readonly source: string;
  readonly item: string;
  /** Rises with every claim of the item, by whomever. */
  readonly epoch: number;
  /** Aborted once it is, or may be, somebody else's. */
  readonly lost: AbortSignal;
  /** Throws ClaimLostError where it is not ours any more. Called before each outward write. */
  confirm(): Promise<void>;
  /** Gives it up, or says that the item is done: the last write, and only if it is still ours. */
  end(how: "done" | "released" | "failed"): Promise<void>;
}

export interface ClaimWanted {
  source: string;
  item: string;
  job: string;
  agent: string;
}

/**
 * `held`: by another job here, or another fleet. `done`: it was delivered before. `attempts`: of all jobs before this one; `left`:
 * the last of them left it without an end.
 */
export type ClaimAnswer =
  | { kind: "claimed"; claim: Claim; attempts: number; left: boolean }
  | { kind: "held"; by: string; until?: Date }
  | { kind: "done" }
  | { kind: "unreachable"; why: string };
