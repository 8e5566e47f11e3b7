import type { JournalEvent } from "../src/job/events.ts";
import { apply } from "../src/job/fold.ts";
import { emptyJob, type Job } from "../src/job/job.ts";
import { spendOf } from "../src/job/spend.ts";
import type { Tables } from "../src/store/tables.ts";

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

/**
 * What an agent spent after its cap was reached, by the events in the order in which they became durable: every job that ran
 * then may have had one response on its way, and no more, whoever heard it. What a killed process was answered is known once
 * its job continues.
 */
export function judgeBudget(
  events: readonly JournalEvent[],
  { agent, cap, atOnce }: { agent: string; cap: number; atOnce: number },
): string[] {
  const jobs = new Map<string, Job>();
  const late = new Map<string, number>();
  let spent = 0;
  let most = atOnce;
  for (const event of events) {
    const before = jobs.get(event.job) ?? emptyJob(event.job);
    const after = apply(before, event);
    jobs.set(event.job, after);
    if (after.agent !== agent) continue;
    const isOver = spent >= cap - A_MICRODOLLAR;
    const answers = answersIn(event, before, after);
    if (answers > 0 && isOver) late.set(event.job, (late.get(event.job) ?? 0) + answers);
    spent += spendOf(before, after, event).reduce((sum, { costUsd }) => sum + costUsd, 0);
    // The job whose response reaches the cap has had its one.
    if (!isOver && spent >= cap - A_MICRODOLLAR && answers > 0) most = atOnce - 1;
  }
  const greedy = [...late].filter(([, responses]) => responses > 1);
  return [
    ...(late.size > most
      ? [`${late.size} jobs of ${agent} had a response after its cap, and ${most} may`]
      : []),
    ...greedy.map(([job, responses]) => `${job} had ${responses} responses after the cap of ${agent}`),
  ];
}

const A_MICRODOLLAR = 1e-6;

function answersIn(event: JournalEvent, before: Job, after: Job): number {
  if (event.type === "response") return 1;
  return event.type === "session:known" ? after.turns - before.turns : 0;
}

/** Every due time from the first to the last is on record, once, with at most one job. */
export function judgeFires(
  fires: readonly Pick<Tables["fires"], "first_due" | "due" | "count" | "outcome" | "job">[],
  intervalMs: number,
): string[] {
  const problems: string[] = [];
  let next: number | undefined;
  for (const { first_due, due, count, outcome } of fires) {
    const [first, last] = [Date.parse(first_due), Date.parse(due)];
    if (next !== undefined && first !== next)
      problems.push(`nothing is on record of what was due before ${first_due}`);
    if (last - first !== (count - 1) * intervalMs)
      problems.push(`${count} due times are ${outcome} from ${first_due} to ${due}`);
    next = last + intervalMs;
  }
  const jobs = fires.flatMap(({ job }) => job ?? []);
  if (new Set(jobs).size !== jobs.length) problems.push("two due times have the same job");
  if (fires.length === 0) problems.push("no schedule was ever due");
  return problems;
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
