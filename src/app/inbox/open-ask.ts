import type { OpenAsk } from "../../job/asks/asks.ts";
import type { Job } from "../../job/job.ts";
import { jobAsking, type Standing } from "../../store/asks.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { UsageError } from "../usage-error.ts";

/** The ask of this id, which can be answered. */
export async function openAsk(store: Store, id: string): Promise<{ job: Job; ask: OpenAsk }> {
  const named = await jobAsking(store, id);
  if (named === undefined) throw overBy(id, { state: "unknown" });
  const job = await getJob(store, named.job);
  const ask = job.asks?.find((each) => each.ask === id);
  if (!ask) throw overBy(id, named.standing);
  return { job, ask };
}

/** Somebody else was first, or there is nothing to answer any more. */
export function overBy(id: string, standing: Exclude<Standing, { state: "taken" }>): UsageError {
  if (standing.state === "unknown")
    return new UsageError(`There is no ask ${id} in this project. \`baton inbox\` lists what needs you.`);
  if (standing.why === "closed")
    return new UsageError(
      `${id} can no longer be answered: the agent that asked has ended, or the time was up. \`baton inbox\` lists what needs you.`,
    );
  const { answer, at = "" } = standing;
  const said = answer?.answer === "no" ? "no" : answer?.answer === "said" ? answer.texts.join(" / ") : "yes";
  return new UsageError(`${id} was answered already, at ${at}: ${said}. That answer counts.`);
}
