import type { JournalEvent } from "../../job/events.ts";
import type { Journal } from "../../jobs/journal.ts";

const NEWS = ["job:reported", "job:completed", "job:failed", "job:paused", "job:cancelled"];

/**
 * Tells the orchestrator that started a job what it would miss: while it hands over, its list of workers is of before, and
 * whoever continues hears it first. All else it sees in that list.
 */
export async function followedBy(journal: Journal): Promise<AsyncDisposable | undefined> {
  const { startedBy } = journal.job;
  if (startedBy === undefined) return undefined;
  const { tellOfNews } = await import("../sessions/workers.ts");
  let told = Promise.resolve();
  const unsubscribe = journal.subscribe((event: JournalEvent) => {
    if (!NEWS.includes(event.type)) return;
    const { job } = journal;
    // What cannot be told is on record all the same, and in the list.
    told = told.then(() => tellOfNews(startedBy, job, event.at)).catch(() => {});
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await told;
    },
  };
}
