import { inWords } from "../../config/reader/duration.ts";
import type { OpenAsk } from "../../job/asks/asks.ts";
import { Journal } from "../../jobs/journal.ts";
import { thisProcess } from "../../processes/owner.ts";
import { giveAnswer, overdueAsks } from "../../store/asks.ts";
import { claimJob, JobOwnedError } from "../../store/claims.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import type { Project } from "../project.ts";
import { letContinue } from "./continue.ts";
import { toldLater } from "./told-later.ts";

/** Settles what nobody answered in time, of jobs that rest: those that run see to it themselves. */
export async function expireAsks(project: Project, store: Store, now: Date): Promise<void> {
  for (const { ask, job: id } of await overdueAsks(store, now)) {
    const job = await getJob(store, id);
    const open = job.asks?.find((each) => each.ask === ask);
    if (!open) continue;
    const message = nobodyAnswered(open);
    if (open.onTimeout === "deny") {
      const answer = { answer: "no", because: message } as const;
      const told = toldLater(open, answer);
      const { state } = await giveAnswer(store, { job: id, ask }, { answer, told, now });
      if (state === "taken") await letContinue(project, store, job);
    } else await pause(store, id, { ask, message });
  }
}

/** Whoever has the job by now, or had it a moment ago, knows better. */
async function pause(store: Store, job: string, { ask, message }: { ask: string; message: string }) {
  try {
    const claim = await claimJob(store, job, thisProcess(), new Date());
    await using journal = new Journal(store, claim, () => new Date());
    if (!journal.job.asks?.some((each) => each.ask === ask)) return;
    await journal.record({ type: "ask:expired", ask, message: `${ask}: ${message}` });
    if (journal.job.pauseCode === "asking" && !journal.job.asks?.length)
      await journal.record({ type: "job:paused", code: "ask_timeout", message });
  } catch (error) {
    if (!(error instanceof JobOwnedError)) throw error;
  }
}

function nobodyAnswered({ since, until }: OpenAsk): string {
  const ms = Date.parse(until ?? since) - Date.parse(since);
  // It is on record a moment after it was made.
  return `Nobody answered within ${inWords(Math.ceil(ms / 1000) * 1000)} (approval_timeout).`;
}
