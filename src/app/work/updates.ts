import type { Job } from "../../job/job.ts";
import type { ItemDetails } from "../../sources/source.ts";
import { queueMessage } from "../../store/messages.ts";
import type { Store } from "../../store/store.ts";
import { noteItem, type WorkItemRow } from "../../store/work-items.ts";
import { newTag } from "../../util/frame.ts";
import { given } from "../../util/given.ts";
import { oneLine } from "../../util/printable.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { Line } from "./lines.ts";
import { updatePrompt } from "./prompt.ts";
import { type Seen, seenIn, seenNow } from "./seen.ts";

/** What is different about the item of a job since it last heard of it. */
export interface Edited {
  /** The agent is told. */
  isTold: boolean;
  conflict: string | undefined;
}

interface Heeding {
  row: WorkItemRow;
  line: Line;
  store: Store;
  /** Otherwise nothing else tells when it changes. */
  isListed: boolean;
  now: Date;
}

const UNLISTED_AGAIN_MS = 5 * MINUTE_MS;

/** Shows the agent what people wrote meanwhile, and notes what somebody should look at. Undefined: nothing is different. */
export async function heed(
  details: ItemDetails | undefined,
  job: Job,
  { row, line, store, isListed, now }: Heeding,
): Promise<Edited | undefined> {
  const before = seenIn(row.seen);
  if (!before) return undefined;
  const key = { source: row.source, item: row.item };
  const conflict = conflictIn(details);
  const known = before.conflict;
  const kept = conflict && {
    why: conflict,
    since: known?.why === conflict ? known.since : now.toISOString(),
  };
  const { serverTime } = line.feed.source;
  const { item, words, ...after } = details ? seenNow(details, line.config, { serverTime, now }) : before;
  const unlistedAgainAt = new Date(now.getTime() + UNLISTED_AGAIN_MS).toISOString();
  const lookAgainAt = isListed ? details && after.lookAgainAt : unlistedAgainAt;
  const isTold = details !== undefined && words !== before.words;
  if (isTold) {
    const text = updatePrompt(details, line.config, newTag());
    await queueMessage(store, job.id, { text, moment: "boundary", at: now.toISOString() });
  }
  const seen: Seen = { item, words, ...given({ lookAgainAt }), ...(kept && { conflict: kept }) };
  await noteItem(store, key, { seen });
  return isTold || conflict !== known?.why ? { isTold, conflict } : undefined;
}

/** Why a person may not want it worked on any more. */
function conflictIn(details: ItemDetails | undefined): string | undefined {
  if (!details) return "it is gone";
  if (!details.isOpen) return "it was closed";
  if (details.blockedBy.length > 0) return `it waits for ${details.blockedBy.map(oneLine).join(", ")}`;
  if (details.assignees.length > 0) return `it was assigned to ${details.assignees.map(oneLine).join(", ")}`;
  return undefined;
}
