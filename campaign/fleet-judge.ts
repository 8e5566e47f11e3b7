import type { JournalEvent } from "../src/job/events.ts";

export interface FleetLimits {
  slots: number;
  /** Of each agent. */
  instances: Readonly<Record<string, number>>;
}

/** What came of a fleet's jobs, by their journals. */
export interface FleetVerdict {
  jobs: number;
  completed: number;
  /** How often one was started again after a kill. */
  continued: number;
  mostAtOnce: number;
  problems: string[];
}

interface Stretch {
  job: string;
  agent: string;
  from: number;
  to: number;
}

/** All must end, none twice, no two owners of one at a time, no limit exceeded, nothing repeated that the journal knew. */
export function judgeFleet(events: readonly JournalEvent[], jobs: number, limits: FleetLimits): FleetVerdict {
  const byJob = Map.groupBy(events, ({ job }) => job);
  const problems: string[] = [];
  const stretches: Stretch[] = [];
  let completed = 0;
  for (const [job, own] of byJob) {
    const ends = own.filter(({ type }) => type === "job:completed").length;
    completed += ends > 0 ? 1 : 0;
    if (ends !== 1) problems.push(`${job} was completed ${ends} times`);
    const calls = own.filter(
      (event) => event.type === "tool:end" && event.ok && event.subagent === undefined,
    );
    if (calls.length > 1) problems.push(`${job} did what was known to be done ${calls.length} times`);
    stretches.push(...stretchesOf(job, own));
  }
  if (byJob.size !== jobs) problems.push(`${byJob.size} of ${jobs} jobs are on record`);
  const mostAtOnce = most(stretches);
  if (mostAtOnce > limits.slots) problems.push(`${mostAtOnce} jobs ran at once, with ${limits.slots} slots`);
  for (const [agent, allowed] of Object.entries(limits.instances)) {
    const own = most(stretches.filter((stretch) => stretch.agent === agent));
    if (own > allowed) problems.push(`${own} jobs of ${agent} ran at once, and ${allowed} may`);
  }
  for (const own of Map.groupBy(stretches, ({ job }) => job).values()) {
    if (most(own) > 1) problems.push(`${own[0]?.job} was run by two owners at once`);
  }
  const continued = stretches.length - new Set(stretches.map(({ job }) => job)).size;
  return { jobs: byJob.size, completed, continued, mostAtOnce, problems };
}

/** From the start of each attempt to the last that it wrote. What marks it as interrupted later is of another. */
function stretchesOf(job: string, events: readonly JournalEvent[]): Stretch[] {
  const created = events.find((event) => event.type === "job:created");
  const agent = created?.type === "job:created" ? created.agent : "";
  return [...Map.groupBy(events, ({ attempt }) => attempt).values()].flatMap((own) => {
    const first = own.find(({ type }) => type === "job:started");
    const last = own.at(-1);
    return first && last ? [{ job, agent, from: Date.parse(first.at), to: Date.parse(last.at) }] : [];
  });
}

/** How many there are at the same moment. One that begins when another ends comes after it. */
function most(stretches: readonly Pick<Stretch, "from" | "to">[]): number {
  const moments = stretches
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let largest = 0;
  for (const { by } of moments) {
    now += by;
    largest = Math.max(largest, now);
  }
  return largest;
}
