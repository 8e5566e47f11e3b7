import { setTimeout as sleep } from "node:timers/promises";
import type { Description } from "../../job/describe.ts";
import { FEED_TYPES, inFeed } from "../../job/feed.ts";
import { eventsOfAll, latestId, type NumberedEvent } from "../../store/feed.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

export interface FeedItem extends NumberedEvent {
  told: Description;
}

interface Wanted {
  /** How many of the past, the newest. */
  limit: number;
  since?: Date;
  problems: boolean;
  follow: boolean;
}

/** So many events are looked at for what is past: a store can have millions. */
const LOOKED_AT = 200_000;
const PAGE = 500;
const FOLLOW_MS = 500;

/** What happened in all jobs of a project, oldest first, and with `follow` what happens. */
export async function* feed(project: Project, wanted: Wanted): AsyncGenerator<FeedItem> {
  if (!hasStore(project) && !wanted.follow) return;
  while (!hasStore(project)) await sleep(FOLLOW_MS);
  await using store = await lookIntoStore(project);
  let last = await latestId(store);
  yield* await past(store, last, wanted);
  while (wanted.follow) {
    const events = await eventsOfAll(store, FEED_TYPES, { after: last, limit: PAGE, order: "asc" });
    for (const each of events) {
      last = each.id;
      const told = inFeed(each.event, wanted.problems);
      if (told) yield { ...each, told };
    }
    if (events.length === PAGE) continue;
    await sleep(FOLLOW_MS);
    // A job whose process died without a word is one of the problems.
    await sweepInterrupted(store, new Date()).catch(() => {});
  }
}

async function past(store: Store, upTo: number, { limit, since, problems }: Wanted): Promise<FeedItem[]> {
  const found: FeedItem[] = [];
  const after = Math.max(0, upTo - LOOKED_AT);
  for (let before = upTo + 1; found.length < limit; ) {
    const events = await eventsOfAll(store, FEED_TYPES, { after, before, limit: PAGE, order: "desc" });
    for (const each of events) {
      if (since && each.event.at < since.toISOString()) return found.reverse();
      const told = inFeed(each.event, problems);
      if (told && found.length < limit) found.push({ ...each, told });
      before = each.id;
    }
    if (events.length < PAGE) break;
  }
  return found.reverse();
}
