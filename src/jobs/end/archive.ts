import { archiveDocument, findDocument, headOf, isFile, moveDocument } from "../../handoff/history.ts";
import type { HandoffRecord, Job, JobStatus } from "../../job/job.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob, JobOwnedError } from "../../store/claims.ts";
import { allJobs } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";
import { DAY_MS } from "../../util/time.ts";
import { Journal } from "../journal.ts";

/** A job that is over. It can still be resumed, and finds its documents in the archive. */
export const OVER: readonly JobStatus[] = ["completed", "failed", "cancelled"];

/** Moves the documents of a job that is over to the archive, and says where they are now. */
export async function archiveDocuments(
  store: Store,
  job: Job,
  now: Date,
  isWanted: (handoff: HandoffRecord) => boolean = () => true,
): Promise<string[]> {
  const claim = await claimJob(store, job.id, thisProcess(), now);
  await using journal = new Journal(store, claim, () => new Date());
  const moved: string[] = [];
  if (!OVER.includes(journal.job.status)) return moved;
  for (const handoff of journal.job.handoffs.filter(isWanted)) {
    const path = await archived(journal, handoff);
    if (path !== undefined) moved.push(path);
  }
  return moved;
}

/**
 * Archives what jobs left that were over more than a day ago, and finishes moves that were cut off. The documents of an
 * epic stay until the user ends it.
 */
export async function archiveOld(store: Store, now: Date, signal: AbortSignal): Promise<void> {
  const finishedBefore = new Date(now.getTime() - DAY_MS);
  for await (const job of allJobs(store, { status: OVER, finishedBefore, handedOff: true })) {
    if (signal.aborted) return;
    const isWanted = ({ archivedFrom }: HandoffRecord) => job.epic === null || archivedFrom !== null;
    if (!(await hasSomeToArchive(job, isWanted))) continue;
    try {
      await archiveDocuments(store, job, now, isWanted);
    } catch (error) {
      // Whoever has the job now archives it as well.
      if (!(error instanceof JobOwnedError)) throw error;
    }
  }
}

/** The jobs that the user has put in this epic. */
export async function jobsInEpic(store: Store, epic: string): Promise<Job[]> {
  const found: Job[] = [];
  for await (const job of allJobs(store, { epic })) found.push(job);
  return found;
}

/** Where a handoff's document is: where the record says, or where it was before a move that was cut off. */
export async function documentOf({ documentPath, archivedFrom }: HandoffRecord): Promise<string> {
  if (archivedFrom && !(await isFile(documentPath)) && (await isFile(archivedFrom))) return archivedFrom;
  return findDocument(documentPath);
}

async function hasSomeToArchive(job: Job, isWanted: (handoff: HandoffRecord) => boolean): Promise<boolean> {
  for (const handoff of job.handoffs.filter(isWanted)) if (await isToMove(handoff, job.id)) return true;
  return false;
}

/** By its own word, because another document may have got the name since. */
async function isToMove({ number, documentPath, archivedFrom }: HandoffRecord, id: string): Promise<boolean> {
  const head = await headOf(archivedFrom ?? documentPath);
  return head.job === id && head.number === number;
}

async function archived(journal: Journal, handoff: HandoffRecord): Promise<string | undefined> {
  const { number, documentPath, archivedFrom } = handoff;
  if (!(await isToMove(handoff, journal.job.id))) return undefined;
  if (archivedFrom && (await moveDocument(archivedFrom, documentPath))) return documentPath;
  return archiveDocument(archivedFrom ?? documentPath, (place) =>
    journal.record({ type: "handoff:archived", handoffNumber: number, documentPath: place }),
  );
}
