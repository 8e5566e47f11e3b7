import type { JobStatus } from "../job/job.ts";
import type { GlimpsedJob } from "../store/sqlite/glance.ts";
import { configOf, hasStore, type Project, storePath } from "./project.ts";

export { shortId } from "../job/id.ts";
export type { GlimpsedJob } from "../store/sqlite/glance.ts";

/** What a person waits for while they press a key must be quick. */
const MOST_BYTES = 256 * 1024;
const MOST_JOBS = 50;

/** The names of a project's agents. */
export async function agentsAtAGlance(project: Project): Promise<string[]> {
  const { agents } = await configOf(project, { most: MOST_BYTES });
  return agents.map(({ name }) => name);
}

/** Its newest jobs, read without a trace. None of a store that is not this machine's own. */
export async function jobsAtAGlance(
  project: Project,
  statuses: readonly JobStatus[] | undefined,
): Promise<GlimpsedJob[]> {
  if (!hasStore(project)) return [];
  const { glanceAtJobs } = await import("../store/sqlite/glance.ts");
  return glanceAtJobs(storePath(project.root), { limit: MOST_JOBS, ...(statuses && { statuses }) });
}

/** How much waits for a person, as the rows of the inbox. */
export async function needYouAtAGlance(project: Project, now: Date): Promise<number> {
  if (!hasStore(project)) return 0;
  const [{ glanceAtWaiting }, { inboxRows, needing, recentSince }] = await Promise.all([
    import("../store/sqlite/glance.ts"),
    import("../fleet/inbox/rows.ts"),
  ]);
  const waiting = glanceAtWaiting(storePath(project.root), recentSince(now));
  if (!waiting) return 0;
  const { running, ...rest } = waiting;
  const rows = inboxRows({
    ...rest,
    stalled: running.filter(({ stall }) => stall),
    circling: running.filter(({ circles }) => circles && circles.length > 0),
    denied: [],
  });
  return needing(rows) + ((await isConfigBroken(project)) ? 1 : 0);
}

async function isConfigBroken(project: Project): Promise<boolean> {
  try {
    await configOf(project, { most: MOST_BYTES });
    return false;
  } catch (error) {
    const { ConfigError } = await import("../config/error.ts");
    return error instanceof ConfigError;
  }
}
