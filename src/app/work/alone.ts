import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { Job } from "../../job/job.ts";
import { ItemLost } from "../../jobs/reasons.ts";
import { Claims } from "../../sources/claims/claims.ts";
import type { Store } from "../../store/store.ts";
import { findItem, isTaken } from "../../store/work-items.ts";
import { claimFor, type HeldItem, heldBy } from "./held.ts";
import { openRegister, openSource } from "./open.ts";

/** The item of a job that is run without a fleet. Where a fleet keeps its claim alive, it is the fleet's to keep. */
export async function holdAlone(
  store: Store,
  agent: AgentConfig,
  job: Job,
  signal: AbortSignal,
): Promise<HeldItem> {
  const { id = "", source = "" } = job.workItem ?? {};
  const env = ownEnvironment();
  const config = [agent.workSource, ...agent.schedules.map(({ workSource }) => workSource)]
    .filter((each) => each !== undefined)
    .find((each) => openSource(each, env).name === source);
  if (!config) {
    throw new Error(`No work_source of ${agent.name} is ${source}, which the item of ${job.id} is of.`);
  }
  const tracker = openSource(config, env);
  const register = await openRegister({ agent, source: tracker, config, env, signal });
  const claims = new Claims({ store, register, source, serverTime: () => tracker.serverTime });
  const row = await findItem(store, { source, item: id });
  if (row && isTaken(row) && row.job === job.id) {
    const resumed = await claims.resume(job.id, signal);
    if (resumed) return heldBy(resumed, tracker);
    const never = new AbortController();
    const openPullRequest = tracker.pullRequests?.(id);
    return {
      lost: never.signal,
      confirm: () => stillOurs(claims, job),
      ...(openPullRequest && { openPullRequest }),
    };
  }
  return heldBy(await claimFor(job, { claims, store, source, signal }), tracker);
}

async function stillOurs(claims: Claims, { id: job, workItem }: Job): Promise<void> {
  const item = workItem?.id ?? "";
  const found = (await claims.look([item])).get(item);
  if (found?.kind === "held" && found.by === job) return;
  throw new ItemLost(`The claim on ${item} is lost. What was done so far stays where it is.`);
}
