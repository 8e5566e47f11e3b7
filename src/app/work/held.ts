import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "../../job/job.ts";
import { ItemLost } from "../../jobs/reasons.ts";
import type { Claim } from "../../sources/claims/claim.ts";
import type { Claims } from "../../sources/claims/claims.ts";
import { ClaimKeptError, ClaimLostError, ClaimUnconfirmedError } from "../../sources/claims/errors.ts";
import type { Source } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import { findItem, isTaken } from "../../store/work-items.ts";
import type { OpenPullRequest } from "../../workspace/workspace.ts";

/** The item of a job, as long as the job runs. */
export interface HeldItem {
  /** Aborted with an ItemLost. */
  lost: AbortSignal;
  /** Throws an ItemLost where the item is somebody else's. Called before anything of the job leaves this machine. */
  confirm(): Promise<void>;
  openPullRequest?: OpenPullRequest;
}

const PASSED_ON_TRIES = 20;
const PASSED_ON_MS = 250;

const BACKOFF_MS = [1_000, 4_000, 15_000];

/** A claim as its job sees it. */
export function heldBy(claim: Claim, source: Source): HeldItem {
  const lost = new AbortController();
  const lose = () => lost.abort(new ItemLost(messageOfLoss(claim.lost.reason)));
  if (claim.lost.aborted) lose();
  else claim.lost.addEventListener("abort", lose, { once: true });
  const openPullRequest = source.pullRequests?.(claim.item);
  return { lost: lost.signal, confirm: () => confirmed(claim), ...(openPullRequest && { openPullRequest }) };
}

async function confirmed(claim: Pick<Claim, "confirm" | "lost">): Promise<void> {
  for (const delay of [...BACKOFF_MS, undefined]) {
    try {
      return await claim.confirm();
    } catch (error) {
      if (error instanceof ClaimLostError) throw new ItemLost(error.message);
      if (!(error instanceof ClaimUnconfirmedError) || delay === undefined) throw error;
      await sleep(delay, undefined, { signal: claim.lost }).catch(() => {});
    }
  }
}

function messageOfLoss(reason: unknown): string {
  return reason instanceof Error ? reason.message : "The claim on its item is lost.";
}

interface Claiming {
  claims: Pick<Claims, "claim" | "resume">;
  store: Store;
  source: string;
  signal: AbortSignal;
  /** How often it is asked for. */
  tries?: number;
}

/** The claim of a job that begins or continues. Throws an ItemLost where another has its item. */
export async function claimFor(
  { id, agent, workItem }: Job,
  { claims, store, source, signal, tries = PASSED_ON_TRIES }: Claiming,
): Promise<Claim> {
  const item = workItem?.id ?? "";
  for (let left = tries; ; left--) {
    const resumed = await claims.resume(id, signal).catch((error: unknown) => {
      if (error instanceof ClaimKeptError && left > 0) return undefined;
      throw error;
    });
    if (resumed) return resumed;
    const row = await findItem(store, { source, item });
    if (!row || !isTaken(row) || row.job !== id) break;
    if (left === 0) throw new ItemLost(`${item} of ${source} is held for this job by another process.`);
    // Whoever claimed it for the job is about to leave it to whoever runs that.
    await sleep(PASSED_ON_MS, undefined, { signal });
  }
  // It was given up when the job ended or lost it, and a person has the job continue.
  const answer = await claims.claim({ source, item, job: id, agent }, signal);
  switch (answer.kind) {
    case "claimed":
      return answer.claim;
    case "unreachable":
      throw new Error(`Whether ${item} of ${source} can be claimed could not be asked: ${answer.why}`);
    case "done":
      throw new ItemLost(
        `${item} of ${source} is delivered already. Have it worked on again with: baton work release ${item}`,
      );
    case "held":
      throw new ItemLost(`${item} of ${source} is held by ${answer.by}.`);
  }
}
