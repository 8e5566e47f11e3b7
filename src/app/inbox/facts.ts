import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import type { InboxFacts } from "../../fleet/inbox/facts.ts";
import { recentSince } from "../../fleet/inbox/rows.ts";
import { answeredAsks, jobsThatAsk } from "../../store/asks.ts";
import { type DeniedRule, deniedSince } from "../../store/denials.ts";
import { doneInInbox } from "../../store/inbox-done.ts";
import { listJobs } from "../../store/job-list.ts";
import { jobsThatLeave, jobsWith } from "../../store/jobs.ts";
import { lastFires } from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { DAY_MS } from "../../util/time.ts";
import { configOf, type Project } from "../project.ts";
import { itemConflicts } from "../work/conflicts.ts";

/** A count that leaves some out is none. */
const ALL = Number.MAX_SAFE_INTEGER;

/** What waits for a person in a project, by its store and its configuration. Each is found by an index, however many jobs there are. */
export async function inboxFacts(project: Project, store: Store, now: Date): Promise<InboxFacts> {
  const recent = recentSince(now);
  const running = await listJobs(store, ALL, { status: "running" });
  const left = await jobsThatLeave(store);
  const { brokenConfig, denied } = await byConfig(project, store, now);
  return {
    asking: await jobsWith(store, await jobsThatAsk(store)),
    answered: await answeredAsks(store),
    stalled: running.filter(({ stall }) => stall),
    circling: running.filter(({ circles }) => circles && circles.length > 0),
    paused: await listJobs(store, ALL, { status: "paused" }),
    failed: await listJobs(store, ALL, { status: "failed", updatedSince: recent }),
    toReview: left.filter(({ status }) => status === "completed"),
    missed: (await lastFires(store, recent)).filter(({ outcome }) => outcome === "missed"),
    conflicts: await itemConflicts(store),
    done: await doneInInbox(store),
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

async function byConfig(
  project: Project,
  store: Store,
  now: Date,
): Promise<Pick<InboxFacts, "brokenConfig" | "denied">> {
  try {
    return { denied: await deniedRules(await configOf(project), store, now) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { denied: [], brokenConfig: broken(project, error, now) };
  }
}

/** Since its file was last written. */
function broken(
  { configPath, root }: Project,
  { message }: ConfigError,
  now: Date,
): NonNullable<InboxFacts["brokenConfig"]> {
  const written = configPath === undefined ? undefined : statSync(configPath, { throwIfNoEntry: false });
  return { file: configPath ?? root, message, since: (written?.mtime ?? now).toISOString() };
}
