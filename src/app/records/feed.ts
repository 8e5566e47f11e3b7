import { setTimeout as sleep } from "node:timers/promises";
import type { Description } from "../../job/describe.ts";
import { FEED_TYPES, inFeed } from "../../job/feed.ts";
import { eventsOfAll, latestId, type NumberedEvent } from "../../store/feed.ts";
import type { Store } from "../../store/store.ts";
import { sweepInterrupted } from "../../store/sweep.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

export interface FeedItem extends NumberedEvent {
  /** Its folder. */
  project: string;
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

/** What happened in all jobs of projects, oldest first, and with `follow` what happens. */
export async function* feed(projects: readonly Project[], wanted: Wanted): AsyncGenerator<FeedItem> {
  await using open = new AsyncDisposableStack();
  const looks: Look[] = [];
  const items: FeedItem[] = [];
  for (const project of projects) {
    const look = await lookInto(project, open);
    if (!look) continue;
    looks.push(look);
    items.push(...(await past(look, wanted)));
  }
  const inOrder = items.toSorted((a, b) => (a.event.at < b.event.at ? -1 : a.event.at > b.event.at ? 1 : 0));
  yield* inOrder.slice(-wanted.limit);
  while (wanted.follow) {
    for (const look of looks) yield* news(look, wanted.problems);
    await sleep(FOLLOW_MS);
    for (const project of projects) {
      // Of a project in which no job had run yet, all is news.
      const look = looks.some(({ root }) => root === project.root)
        ? undefined
        : await lookInto(project, open);
      if (look) looks.push({ ...look, last: 0 });
    }
    // A job whose process died without a word is one of the problems.
    for (const { store } of looks) await sweepInterrupted(store, new Date()).catch(() => {});
  }
}

/** A project's store, and the last event of it that was looked at. */
interface Look {
  root: string;
  store: Store;
  last: number;
}

async function lookInto(project: Project, open: AsyncDisposableStack): Promise<Look | undefined> {
  if (!hasStore(project)) return undefined;
  const store = open.use(await lookIntoStore(project));
  return { root: project.root, store, last: await latestId(store) };
}

async function* news(look: Look, problems: boolean): AsyncGenerator<FeedItem> {
  for (;;) {
    const wanted = { after: look.last, limit: PAGE, order: "asc" } as const;
    const events = await eventsOfAll(look.store, FEED_TYPES, wanted);
    for (const each of events) {
      look.last = each.id;
      const told = inFeed(each.event, problems);
      if (told) yield { ...each, project: look.root, told };
    }
    if (events.length < PAGE) return;
  }
}

async function past(
  { root: project, store, last: upTo }: Look,
  { limit, since, problems }: Wanted,
): Promise<FeedItem[]> {
  const found: FeedItem[] = [];
  const after = Math.max(0, upTo - LOOKED_AT);
  for (let before = upTo + 1; found.length < limit; ) {
    const events = await eventsOfAll(store, FEED_TYPES, { after, before, limit: PAGE, order: "desc" });
    for (const each of events) {
      if (since && each.event.at < since.toISOString()) return found.reverse();
      const told = inFeed(each.event, problems);
      if (told && found.length < limit) found.push({ ...each, project, told });
      before = each.id;
    }
    if (events.length < PAGE) break;
  }
  return found.reverse();
}
