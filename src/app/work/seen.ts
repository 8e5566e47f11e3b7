import type { WorkSourceConfig } from "../../config/work-source.ts";
import { trustedTitle, trustedWords } from "../../sources/choose.ts";
import type { Item, ItemDetails } from "../../sources/source.ts";
import { digest } from "../../util/digest.ts";
import { isFields } from "../../util/json.ts";

/** What is kept of an item that a job has: as it was when the job last heard of it. */
export interface Seen {
  /** Without what it says. */
  item: Item;
  /** Of all that counts of what people wrote. */
  words: string;
  /** It was read so soon after it changed that another change may bear the same time. */
  lookAgainAt?: string;
  /** Why somebody should look: it was closed, for example, while a job works on it. */
  conflict?: { why: string; since: string };
}

/** Trackers tell when an item changed in whole seconds. */
const AGAIN_MS = 2_000;

/** `serverTime`: when it was read, by the tracker's clock. */
export function seenNow(
  details: ItemDetails,
  rules: Pick<WorkSourceConfig, "trust">,
  { serverTime, now }: { serverTime: Date | undefined; now: Date },
): Seen {
  const { comments: _, readyBy: _by, ...item } = details;
  const said = trustedWords(details, rules).map(({ by, text }) => `${by}\n${text}`);
  const isFresh = serverTime && serverTime.getTime() - Date.parse(item.updatedAt) < AGAIN_MS;
  return {
    item: { ...item, text: "" },
    words: digest(trustedTitle(item, rules) ?? "", ...said),
    ...(isFresh && { lookAgainAt: new Date(now.getTime() + AGAIN_MS).toISOString() }),
  };
}

/** Undefined for what is not there, or an earlier version kept. */
export function seenIn(value: unknown): Seen | undefined {
  if (!isFields(value) || !isFields(value.item) || typeof value.words !== "string") return undefined;
  return value as unknown as Seen;
}
