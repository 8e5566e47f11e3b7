import { agentNamed } from "../../config/agent-named.ts";
import type { Waiting } from "../../fleet/admission.ts";
import { type Forecast, type ForecastRun, forecast } from "../../fleet/forecast.ts";
import { costFigure, costOfAll } from "../../job/cost.ts";
import type { Job } from "../../job/job.ts";
import { timeAtWork } from "../../job/limits.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { lastServed, slotsIn } from "../../store/fleet/slots.ts";
import { listJobs } from "../../store/job-list.ts";
import { queueEntries } from "../../store/queue.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { barsOf } from "./bars.ts";
import type { FleetProject } from "./projects.ts";
import { scheduleNamed } from "./schedules.ts";
import { schedulesOf } from "./schedules-view.ts";
import { limitsOf, waitingAmong } from "./situation.ts";
import { type Usual, type UsualCost, usualIn } from "./usual.ts";
import { DRAINING, type FleetView, fleetOfProject } from "./view.ts";

/** What the next 24 hours bring, if jobs take and cost what they did before. */
export interface Plan {
  now: Date;
  until: Date;
  fleet: FleetView;
  forecast: Forecast;
  /** How many jobs may run at once. */
  slots: number;
  /** Jobs that wait for a usage limit to be over, the first to be so first. */
  resets: { at: Date; agent: string; job: string; message: string }[];
  cost: ExpectedCost;
  usual(run: Pick<ForecastRun, "agent" | "schedule">): Usual | undefined;
}

interface ExpectedCost {
  /** Of the jobs that are still to start, and whose cost can be expected. */
  cost: UsualCost;
  jobs: number;
  /** The agents of which nothing on record tells what a job costs, with how many are to start. */
  unknown: { agent: string; jobs: number }[];
}

/** What waits for a limit is at work; so many of a project at once are many. */
const MOST_AT_WORK = 1_000;
const HOUR_MS = 60 * MINUTE_MS;

export async function planOf(project: Project, now: Date): Promise<Plan> {
  const config = await configOf(project);
  const fleet = await fleetOfProject(project);
  await using store = hasStore(project) ? await lookIntoStore(project) : undefined;
  const atWork = store ? await listJobs(store, MOST_AT_WORK, { status: ["running", "waiting"] }) : [];
  const until = new Date(now.getTime() + DAY_MS);
  const { seen, slots, usual } = await forecastOf({ project, config }, store, { now, until, atWork });
  return {
    ...{ now, until, fleet, forecast: seen, slots },
    resets: resetsOf(atWork, now),
    cost: expectedCost(seen.runs, now, usual),
    usual: ({ agent, schedule }) => usual(agent, schedule),
  };
}

/** By what the fleet goes by. Where none runs: as if one were started now. */
async function forecastOf(
  { project, config }: Pick<FleetProject, "project" | "config">,
  store: Store | undefined,
  { now, until, atWork }: { now: Date; until: Date; atWork: readonly Job[] },
) {
  using state = lookIntoFleetState();
  const fleet = state && fleetOf(state, project.root);
  const limits = { ...limitsOf([{ project, config }]), ...(fleet?.slots && { total: fleet.slots }) };
  const taken = state ? slotsIn(state) : [];
  // A store that can only be read may be too old to have a queue.
  const entries = store ? await queueEntries(store).catch(() => []) : [];
  const waiting = store ? await waitingAmong(project.root, store, entries, now) : [];
  const schedules = (await schedulesOf(project, now)).flatMap(({ agent, name, next }) =>
    next !== undefined
      ? [{ agent, schedule: scheduleNamed(agentNamed(config, agent), name), next: new Date(next) }]
      : [],
  );
  const agents = new Set([...schedules, ...waiting, ...atWork].map(({ agent }) => agent));
  const usual = store ? await usualIn(store, [...agents]) : () => undefined;
  const queued = store ? await listJobs(store, waiting.length, { status: "queued" }) : [];
  const scheduleOf = new Map([...atWork, ...queued].map(({ id, schedule }) => [id, schedule]));
  const moments = [now, ...resetsOf(atWork, now).map(({ at }) => at), ...hoursUntil(now, until)];
  const projects = store ? [{ project, config, store }] : [];
  const bars = moments
    .toSorted((a, b) => a.getTime() - b.getTime())
    .map(async (from) => {
      const bar = await barsOf({ state, projects, now: from });
      return { from, barred: (next: Waiting) => (fleet?.asked === "drain" ? DRAINING : bar(next)) };
    });
  const seen = forecast({
    ...{ now, until, project: project.root, schedules, limits },
    running: taken
      .filter((slot) => slot.project === project.root)
      .map(({ job, agent, since }) => ({
        ...{ job, agent, since: new Date(since) },
        ...given({
          schedule: scheduleOf.get(job) ?? undefined,
          serial: entries.find((entry) => entry.job === job)?.serial ?? undefined,
        }),
        ...leftOf(
          atWork.find(({ id }) => id === job),
          usual,
          now,
        ),
      })),
    waiting: waiting.map((each) => ({
      ...each,
      ...given({ schedule: scheduleOf.get(each.job) ?? undefined }),
    })),
    others: taken.filter((slot) => slot.project !== project.root),
    lastServed: state ? lastServed(state) : () => undefined,
    bars: await Promise.all(bars),
    usualMs: (agent, schedule) => usual(agent, schedule)?.durationMs,
  });
  return { seen, slots: limits.total, usual };
}

/** What keeps jobs from starting, such as a budget of a day, is looked at again every hour. */
function hoursUntil(now: Date, until: Date): Date[] {
  const hours: Date[] = [];
  for (
    let at = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS + HOUR_MS;
    at < until.getTime();
    at += HOUR_MS
  ) {
    hours.push(new Date(at));
  }
  return hours;
}

/** How long it still takes: what is left of what such jobs take, once a limit that it waits for is over. */
function leftOf(job: Job | undefined, usual: Awaited<ReturnType<typeof usualIn>>, now: Date) {
  const takes = job && usual(job.agent, job.schedule ?? undefined)?.durationMs;
  if (takes === undefined) return {};
  const held = Math.max(0, (job?.waiting?.until ?? 0) - now.getTime());
  return { left: held + Math.max(0, takes - (job ? timeAtWork(job, now) : 0)) };
}

function resetsOf(jobs: readonly Job[], now: Date): Plan["resets"] {
  return jobs
    .flatMap(({ id, agent, waiting }) =>
      waiting && waiting.until > now.getTime()
        ? [{ at: new Date(waiting.until), agent, job: id, message: waiting.message }]
        : [],
    )
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function expectedCost(
  runs: readonly ForecastRun[],
  now: Date,
  usual: (agent: string, schedule?: string) => Usual | undefined,
): ExpectedCost {
  const toStart = runs.filter(({ starts }) => starts !== undefined && starts >= now);
  const costs = toStart.map(({ agent, schedule }) => ({ agent, cost: usual(agent, schedule)?.cost }));
  const known = costs.flatMap(({ cost }) => cost ?? []);
  const unknown = Map.groupBy(
    costs.filter(({ cost }) => cost === undefined),
    ({ agent }) => agent,
  );
  return {
    cost: costOfAll(known),
    jobs: known.length,
    unknown: [...unknown].map(([agent, its]) => ({ agent, jobs: its.length })),
  };
}

/** What `baton plan --json` prints: its keys are a promise to users. */
export function planView({ now, until, fleet, forecast, slots, resets, cost, usual }: Plan) {
  const { costUsd, simulatedUsd } = costFigure(cost.cost);
  return {
    from: now,
    until,
    fleet,
    runs: forecast.runs.map((run) => {
      const takes = usual(run);
      const each = takes?.cost && costFigure(takes.cost);
      return {
        ...run,
        ...(takes && {
          usual: { jobs: takes.jobs, durationMs: takes.durationMs, costUsd: each?.costUsd ?? null },
        }),
      };
    }),
    notRun: forecast.lapses.map(({ first, last, ...lapse }) => ({ ...lapse, firstDue: first, due: last })),
    slots: { total: slots, most: forecast.most.slots, mostAt: forecast.most.at },
    limitResets: resets,
    expectedCost: {
      usd: costUsd,
      ...(simulatedUsd !== undefined && { simulatedUsd }),
      jobs: cost.jobs,
      unknown: cost.unknown,
    },
  };
}
