import { agentNamed } from "../../config/agent-named.ts";
import type { ScheduleConfig } from "../../config/config.ts";
import type { Waiting } from "../../fleet/admission.ts";
import { type Forecast, type ForecastRun, forecast } from "../../fleet/forecast.ts";
import { costFigure, costOfAll } from "../../job/cost.ts";
import type { Job } from "../../job/job.ts";
import { timeAtWork } from "../../job/limits.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { lastServed, slotsIn } from "../../store/fleet/slots.ts";
import { listJobs } from "../../store/job-list.ts";
import { type QueueEntry, queueEntries } from "../../store/queue.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
import { configOf, hasStore, lookIntoStore, type Project } from "../project.ts";
import { readyItems } from "../work/standing.ts";
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

/** One for each, by one forecast over all of them: they share the slots. */
export async function plansOf(projects: readonly Project[], now: Date): Promise<[Project, Plan][]> {
  const until = new Date(now.getTime() + DAY_MS);
  await using opened = new AsyncDisposableStack();
  const planned: Planned[] = [];
  for (const project of projects) {
    const store = hasStore(project) ? opened.use(await lookIntoStore(project)) : undefined;
    planned.push(await plannedIn(project, store, now));
  }
  const { seen, slots } = await forecastOf(planned, { now, until });
  return planned.map(({ project, fleet, atWork, usual }) => {
    const isOfIt = (one: { project: string }) => one.project === project.root;
    const runs = seen.runs.filter(isOfIt);
    const plan: Plan = {
      ...{ now, until, fleet, slots },
      forecast: { ...seen, runs, looks: seen.looks.filter(isOfIt), lapses: seen.lapses.filter(isOfIt) },
      resets: resetsOf(atWork, now),
      cost: expectedCost(runs, now, usual),
      usual: ({ agent, schedule }) => usual(agent, schedule),
    };
    return [project, plan];
  });
}

/** What is known of one project. */
interface Planned extends Pick<FleetProject, "project" | "config"> {
  store: Store | undefined;
  fleet: FleetView;
  atWork: Job[];
  entries: QueueEntry[];
  waiting: Waiting[];
  schedules: { agent: string; schedule: ScheduleConfig; next: Date; items: number }[];
  /** Of the jobs at work and of those that wait. */
  scheduleOf: ReadonlyMap<string, string | null>;
  usual: Awaited<ReturnType<typeof usualIn>>;
}

async function plannedIn(project: Project, store: Store | undefined, now: Date): Promise<Planned> {
  const config = await configOf(project);
  const fleet = await fleetOfProject(project);
  const atWork = store ? await listJobs(store, MOST_AT_WORK, { status: ["running", "waiting"] }) : [];
  // A store that can only be read may be too old to have a queue.
  const entries = store ? await queueEntries(store).catch(() => []) : [];
  const waiting = store ? await waitingAmong(project.root, store, entries, now) : [];
  const ready = store ? await readyItems(store) : () => 0;
  const schedules = (await schedulesOf(project, now)).flatMap(({ agent, name, next }) => {
    if (next === undefined) return [];
    const schedule = scheduleNamed(agentNamed(config, agent), name);
    return [{ agent, schedule, next: new Date(next), items: ready(agent, name) }];
  });
  const agents = new Set([...schedules, ...waiting, ...atWork].map(({ agent }) => agent));
  const queued = store ? await listJobs(store, waiting.length, { status: "queued" }) : [];
  return {
    ...{ project, config, store, fleet, atWork, entries, waiting, schedules },
    scheduleOf: new Map([...atWork, ...queued].map(({ id, schedule }) => [id, schedule])),
    usual: store ? await usualIn(store, [...agents]) : () => undefined,
  };
}

/** By what the fleet goes by. Where none runs: as if one were started now. */
async function forecastOf(planned: readonly Planned[], { now, until }: { now: Date; until: Date }) {
  using state = lookIntoFleetState();
  const fleets = new Map(planned.map(({ project: { root } }) => [root, state && fleetOf(state, root)]));
  const total = [...fleets.values()].map((fleet) => fleet?.slots).find((slots) => slots);
  const limits = { ...limitsOf(planned), ...(total && { total }) };
  const taken = state ? slotsIn(state) : [];
  const of = new Map(planned.map((one) => [one.project.root, one]));
  const resets = planned.flatMap(({ atWork }) => resetsOf(atWork, now).map(({ at }) => at));
  const projects = planned.flatMap(({ project, config, store }) =>
    store ? [{ project, config, store }] : [],
  );
  const bars = [now, ...resets, ...hoursUntil(now, until)]
    .toSorted((a, b) => a.getTime() - b.getTime())
    .map(async (from) => {
      const bar = await barsOf({ state, projects, now: from });
      const isDraining = ({ project }: Waiting) => fleets.get(project)?.asked === "drain";
      return { from, barred: (next: Waiting) => (isDraining(next) ? DRAINING : bar(next)) };
    });
  const seen = forecast({
    ...{ now, until, limits },
    schedules: planned.flatMap(({ project: { root: project }, schedules }) =>
      schedules.map((each) => ({ project, ...each })),
    ),
    running: taken.flatMap(({ project, job, agent, since }) => {
      const its = of.get(project);
      if (!its) return [];
      const known = given({
        schedule: its.scheduleOf.get(job) ?? undefined,
        serial: its.entries.find((entry) => entry.job === job)?.serial ?? undefined,
      });
      const left = leftOf(
        its.atWork.find(({ id }) => id === job),
        its.usual,
        now,
      );
      return [{ project, job, agent, since: new Date(since), ...known, ...left }];
    }),
    waiting: planned.flatMap(({ waiting, scheduleOf }) =>
      waiting.map((each) => ({ ...each, ...given({ schedule: scheduleOf.get(each.job) ?? undefined }) })),
    ),
    others: taken.filter(({ project }) => !of.has(project)),
    lastServed: state ? lastServed(state) : () => undefined,
    bars: await Promise.all(bars),
    usualMs: ({ project, agent, schedule }) => of.get(project)?.usual(agent, schedule)?.durationMs,
  });
  return { seen, slots: limits.total };
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
    runs: forecast.runs.map(({ project: _, ...run }) => {
      const takes = usual(run);
      const each = takes?.cost && costFigure(takes.cost);
      return {
        ...run,
        ...(takes && {
          usual: { jobs: takes.jobs, durationMs: takes.durationMs, costUsd: each?.costUsd ?? null },
        }),
      };
    }),
    looks: forecast.looks.map(({ project: _, ...look }) => look),
    notRun: forecast.lapses.map(({ project: _, first, last, ...lapse }) => ({
      ...lapse,
      firstDue: first,
      due: last,
    })),
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
