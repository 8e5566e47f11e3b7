import type { Owner } from "../../processes/owner.ts";
import { localMinute } from "../../util/time.ts";

/** The item is somebody else's by now, or may be: nothing more may be written for it. */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";

  constructor(item: string, source: string, why: string) {
    super(
      `The claim on ${item} of ${source} is lost: ${why}. What was done so far stays where it is; \`baton work\` shows who has the item.`,
    );
  }
}

/** Whether the item is still ours could not be asked. It may be: the same can be tried again. */
export class ClaimUnconfirmedError extends Error {
  override readonly name = "ClaimUnconfirmedError";

  constructor(item: string, source: string, place: string, why: string) {
    super(`Whether ${item} of ${source} is still claimed could not be read from ${place}: ${why}`);
  }
}

/** Another process of the same store keeps the claim alive: what runs there has the item. */
export class ClaimKeptError extends Error {
  override readonly name = "ClaimKeptError";

  constructor(item: string, source: string, owner: Owner | null) {
    const process = owner
      ? `process ${owner.pid} on ${owner.host}, since ${localMinute(new Date(owner.since))}`
      : "another process";
    super(
      `The claim on ${item} of ${source} is kept by ${process}. Continue its job there, or end that process.`,
    );
  }
}
