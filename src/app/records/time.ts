import type { JobStatus } from "../../job/job.ts";
import { sumOfTimes, type TimeSplit, timeSplitAt } from "../../job/time-split.ts";
import { allJobs, type JobFilter } from "../../store/job-list.ts";
import type { Store } from "../../store/store.ts";
import { sumsOfJobs } from "../../store/sums.ts";
import { hasStore, lookIntoStore, type Project } from "../project.ts";

export { TIME_IN_WORDS, TIME_KINDS, type TimeKind, totalTime } from "../../job/time-split.ts";

/** Where the time of some jobs went, in milliseconds. */
export interface JobsTime {
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

type Wanted = Pick<JobFilter, "agent" | "createdSince">;

/** Where the time of a project's jobs went, by agent, up to now. */
export async function projectTime(project: Project, wanted: Wanted, now: Date): Promise<ProjectTime> {
  if (!hasStore(project)) return { since: sinceOf(wanted), agents: [], total: NO_TIME };
  await using store = await lookIntoStore(project);
  return await timeInStore(store, wanted, now);
}

export async function timeInStore(store: Store, wanted: Wanted, now: Date): Promise<ProjectTime> {
  const sums = (await sumsOfJobs(store, wanted)).filter(({ status }) => !GOING.includes(status));
  const parts = sums.map(({ agent, jobs, timed, time }) => ({
    agent,
    ...{ jobs, timeMs: time, unknown: jobs - timed },
  }));
  // The time of the others goes on.
  for await (const job of allJobs(store, { ...wanted, status: GOING })) {
    const split = timeSplitAt(job, now);
    parts.push({ agent: job.agent, jobs: 1, timeMs: split ?? {}, unknown: split ? 0 : 1 });
  }
  const agents = [...Map.groupBy(parts, ({ agent }) => agent)].map(([agent, its]) => ({
    agent,
    ...its.reduce(together, NO_TIME),
  }));
  return { since: sinceOf(wanted), agents, total: parts.reduce(together, NO_TIME) };
}

const sinceOf = ({ createdSince }: Wanted) => createdSince?.toISOString() ?? null;

const GOING: readonly JobStatus[] = ["created", "queued", "running", "waiting"];

export const NO_TIME: JobsTime = { jobs: 0, timeMs: {}, unknown: 0 };

export function together(a: JobsTime, b: JobsTime): JobsTime {
  return {
    jobs: a.jobs + b.jobs,
    timeMs: sumOfTimes(a.timeMs, b.timeMs),
    unknown: a.unknown + b.unknown,
  };
}
