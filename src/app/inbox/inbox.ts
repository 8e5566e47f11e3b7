import { marksOf } from "../../fleet/inbox/done.ts";
import type { InboxRow } from "../../fleet/inbox/row.ts";
import { inboxRows, needing } from "../../fleet/inbox/rows.ts";
import { shortId } from "../../job/id.ts";
import { markDone } from "../../store/inbox-done.ts";
import { jobsWith } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { oneLine } from "../../util/printable.ts";
import { hasStore, openStoreOfJobs, openSwept, type Project } from "../project.ts";
import { eventsBehind } from "../records/why.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { UsageError } from "../usage-error.ts";
import { expireAsks } from "./expire.ts";
import { inboxFacts } from "./facts.ts";

export type { InboxRow } from "../../fleet/inbox/row.ts";
export { needing } from "../../fleet/inbox/rows.ts";

/** All that waits for a person in a project, with the events behind it: what waiting costs most comes first. */
export async function inboxOf(project: Project): Promise<InboxRow[]> {
  if (!hasStore(project)) return [];
  await using store = await openSwept(project);
  const rows = await inboxIn(project, store, new Date());
  const stopped = rows.filter(({ kind }) => kind === "paused" || kind === "failed");
  const jobs = await jobsWith(
    store,
    stopped.map(({ id }) => id),
  );
  const why = new Map<string, InboxRow["why"]>();
  for (const job of jobs) why.set(job.id, (await eventsBehind(store, job)).map(whyOfEvent));
  return rows.map((row) => {
    const events = stopped.includes(row) ? (why.get(row.id) ?? []) : [];
    return events.length > 0 ? { ...row, why: events } : row;
  });
}

function whyOfEvent({ at, told: { title, text } }: Awaited<ReturnType<typeof eventsBehind>>[number]) {
  return { at, text: oneLine(text === "" ? title : `${title}: ${text}`) };
}

/** How much waits, for a face that shows other things: what cannot be read is no reason to show none of them. */
export async function needYou(project: Project): Promise<number> {
  if (!hasStore(project)) return 0;
  try {
    await using store = await openSwept(project);
    return needing(await inboxIn(project, store, new Date()));
  } catch {
    return 0;
  }
}

/** The same for whoever has the store open, with no more of why than its job says itself. */
export async function inboxIn(project: Project, store: Store, now: Date): Promise<InboxRow[]> {
  await expireAsks(project, store, now);
  return inboxRows(await inboxFacts(project, store, now));
}

/** Takes what is known by this id out of the inbox until it changes. Resolves with its rows. Refused where an agent tries to. */
export async function takeOutOfInbox(project: Project, id: string): Promise<InboxRow[]> {
  await refuseInsideAgent("take something out of the inbox");
  return takeOutForPerson(project, id);
}

/** The same, for whoever has made sure already that it is a person. */
export async function takeOutForPerson(project: Project, id: string): Promise<InboxRow[]> {
  await using store = await openStoreOfJobs(project);
  const now = new Date();
  const facts = await inboxFacts(project, store, now);
  const named = inboxRows(facts).filter((row) => isNamed(row, id));
  const rows = named.filter((row) => marksOf(row, facts).length > 0);
  const [first] = named;
  if (!first) throw new UsageError(`There is no ${id} in the inbox. See what is there with: baton inbox`);
  if (rows.length === 0) {
    const instead = first.actions.map(({ command }) => command).join(", or: ");
    throw new UsageError(`${id} waits for you, and stays until you deal with it: ${instead}`);
  }
  await markDone(
    store,
    rows.flatMap((row) => marksOf(row, facts)),
    now,
  );
  return rows;
}

function isNamed({ id, jobs }: InboxRow, named: string): boolean {
  return id === named || jobs.some((job) => job === named || shortId(job) === named);
}
