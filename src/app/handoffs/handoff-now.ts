import type { HandoffRecord } from "../../job/job.ts";
import { getJob } from "../../store/jobs.ts";
import { sendRequest } from "../../store/requests.ts";
import { openStore } from "../../store/store.ts";
import { followed } from "../jobs/follow.ts";

type MadeHandoff = Pick<HandoffRecord, "number" | "outcome" | "documentPath">;

/** Has the built-in handoff of a job made at once, for a hook of on_context_threshold that the job waits for. */
export async function handoffNow(storePath: string, job: string): Promise<MadeHandoff | { refused: string }> {
  await using store = await openStore(storePath);
  const { seq, handoffs } = await getJob(store, job);
  const made = handoffs.at(-1);
  // Another hook has had it made, and no session has taken it over.
  if (made && made.toSession === null) return made;
  await sendRequest(store, job, { kind: "handoff-now", payload: null, at: new Date().toISOString() });
  for await (const event of followed(store, job, seq)) {
    if (event.type === "handoff:refused") return { refused: event.message };
    if (event.type === "handoff:stored") return { ...event, number: event.handoffNumber };
  }
  return { refused: `${job} ended before the handoff was stored.` };
}
