import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { type InboxFacts, isRecent, type MissedSchedule } from "../../fleet/inbox/rows.ts";
import { answeredAsks, jobsThatAsk } from "../../store/asks.ts";
import { type DeniedRule, deniedSince } from "../../store/denials.ts";
import { listJobs } from "../../store/job-list.ts";
import { jobsThatLeave, jobsWith } from "../../store/jobs.ts";
import { firesOf } from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { DAY_MS } from "../../util/time.ts";
import { configOf, type Project } from "../project.ts";

/** More than anybody reads. */
const MOST = 200;

/** What waits for a person in a project, by its store and its configuration. Each is found by an index, however many jobs there are. */
export async function inboxFacts(project: Project, store: Store, now: Date): Promise<InboxFacts> {
  const failed = await listJobs(store, MOST, { status: "failed" });
  const left = await jobsThatLeave(store);
  const { brokenConfig, denied } = await byConfig(project, store, now);
  return {
    asking: await jobsWith(store, await jobsThatAsk(store)),
    answered: await answeredAsks(store),
    stalled: (await listJobs(store, MOST, { status: "running" })).filter(({ stall }) => stall),
    paused: await listJobs(store, MOST, { status: "paused" }),
    failed: failed.filter(({ updatedAt }) => isRecent(updatedAt, now)),
    toReview: left.filter(({ status }) => status === "completed"),
    missed: await missedIn(store, now),
    denied,
    ...(brokenConfig && { brokenConfig }),
  };
}

/** Fewer times say nothing. */
const LEAST_DENIED = 3;

/** What was denied again and again this week, and what the configuration allows by now is not. */
export async function deniedRules(config: Config, store: Store, now: Date): Promise<DeniedRule[]> {
  const weekAgo = new Date(now.getTime() - 7 * DAY_MS);
  const denied = await deniedSince(store, weekAgo, LEAST_DENIED);
  return denied.filter(({ agent, rule }) => {
    const known = config.agents.find(({ name }) => name === agent);
    return known && ![...known.allowedTools, ...known.deniedTools].includes(rule);
  });
}

/** Of each schedule the last time, if that was missed. */
async function missedIn(store: Store, now: Date): Promise<MissedSchedule[]> {
  const fires = await firesOf(store, MOST);
  const seen = new Set<string>();
  return fires.filter(({ agent, schedule, outcome, at }) => {
    const key = `${agent}/${schedule}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return outcome === "missed" && isRecent(at, now);
  });
}

async function byConfig(
  project: Project,
  store: Store,
  now: Date,
): Promise<Pick<InboxFacts, "brokenConfig" | "denied">> {
  try {
    return { denied: await deniedRules(await configOf(project), store, now) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const file = project.configPath ?? project.root;
    return { denied: [], brokenConfig: { file, message: error.message, since: now.toISOString() } };
  }
}
