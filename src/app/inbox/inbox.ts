import { type InboxRow, inboxRows, needing } from "../../fleet/inbox/rows.ts";
import type { Store } from "../../store/store.ts";
import { hasStore, openSwept, type Project } from "../project.ts";
import { expireAsks } from "./expire.ts";
import { inboxFacts } from "./facts.ts";

export type { InboxRow } from "../../fleet/inbox/rows.ts";
export { needing } from "../../fleet/inbox/rows.ts";

/** All that waits for a person in a project: what waiting costs most comes first. */
export async function inboxOf(project: Project): Promise<InboxRow[]> {
  if (!hasStore(project)) return [];
  await using store = await openSwept(project);
  return await inboxIn(project, store, new Date());
}

/** How much waits, for a face that shows other things: what cannot be read is no reason to show none of them. */
export async function needYou(project: Project): Promise<number> {
  return needing(await inboxOf(project).catch(() => []));
}

/** The same for whoever has the store open. */
export async function inboxIn(project: Project, store: Store, now: Date): Promise<InboxRow[]> {
  await expireAsks(project, store, now);
  return inboxRows(await inboxFacts(project, store, now));
}
