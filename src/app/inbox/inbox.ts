import { type InboxRow, inboxRows } from "../../fleet/inbox/rows.ts";
import { hasStore, openSwept, type Project } from "../project.ts";
import { expireAsks } from "./expire.ts";
import { inboxFacts } from "./facts.ts";

export type { InboxRow } from "../../fleet/inbox/rows.ts";

/** All that waits for a person in a project: what waiting costs most comes first. */
export async function inboxOf(project: Project): Promise<InboxRow[]> {
  if (!hasStore(project)) return [];
  await using store = await openSwept(project);
  const now = new Date();
  await expireAsks(project, store, now);
  return inboxRows(await inboxFacts(project, store, now));
}
