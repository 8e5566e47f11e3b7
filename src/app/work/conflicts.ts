import type { ItemConflict } from "../../fleet/inbox/facts.ts";
import type { Store } from "../../store/store.ts";
import { isTaken, listItems } from "../../store/work-items.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";
import { seenIn } from "./seen.ts";

/** Of the item of one job, where there is one. */
export async function conflictOf(project: Project, job: string): Promise<ItemConflict | undefined> {
  if (!hasStore(project)) return undefined;
  await using store = await lookIntoStore(project);
  const [conflict] = await itemConflicts(store, { job });
  return conflict;
}

/** Items that jobs here work on, and about which a person may have changed their mind since. */
export async function itemConflicts(store: Store, which: { job?: string } = {}): Promise<ItemConflict[]> {
  return (await listItems(store, which)).flatMap((row): ItemConflict[] => {
    const { conflict, item } = seenIn(row.seen) ?? {};
    if (!conflict || !item || row.job === null || !isTaken(row)) return [];
    const { id, title, url } = item;
    return [{ source: row.source, item: id, title, url, job: row.job, agent: row.agent ?? "", ...conflict }];
  });
}
