import { sumOfTimes, type TimeSplit, timeSplitAt } from "../../job/time-split.ts";
import { allJobs, type JobFilter } from "../../store/jobs.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

export { TIME_IN_WORDS, TIME_KINDS, type TimeKind, totalTime } from "../../job/time-split.ts";

/** Where the time of some jobs went, in milliseconds. */
interface JobsTime {
  jobs: number;
  timeMs: TimeSplit;
  /** Of how many it is not known, because an earlier version began them. */
  unknown: number;
}

/** What `baton time --json` prints: its keys are a promise to users. */
export interface ProjectTime {
  since: string | null;
  agents: ({ agent: string } & JobsTime)[];
  total: JobsTime;
}

/** Where the time of a project's jobs went, by agent, up to now. */
export async function projectTime(
  project: Project,
  { agent, createdSince }: Pick<JobFilter, "agent" | "createdSince">,
  now: Date,
): Promise<ProjectTime> {
  const agents = new Map<string, JobsTime>();
  let total = NONE;
  if (hasStore(project)) {
    await using store = await lookIntoStore(project);
    const wanted = { ...(agent !== undefined && { agent }), ...(createdSince && { createdSince }) };
    for await (const job of allJobs(store, wanted)) {
      const split = timeSplitAt(job, now);
      agents.set(job.agent, withJob(agents.get(job.agent) ?? NONE, split));
      total = withJob(total, split);
    }
  }
  const since = createdSince?.toISOString() ?? null;
  return { since, agents: [...agents].map(([agent, spent]) => ({ agent, ...spent })), total };
}

const NONE: JobsTime = { jobs: 0, timeMs: {}, unknown: 0 };

function withJob({ jobs, timeMs, unknown }: JobsTime, split: TimeSplit | undefined): JobsTime {
  return {
    jobs: jobs + 1,
    timeMs: split ? sumOfTimes(timeMs, split) : timeMs,
    unknown: unknown + (split ? 0 : 1),
  };
}
