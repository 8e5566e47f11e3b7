import { agentNamed } from "../../config/agent-named.ts";
import type { Config, ScheduleConfig } from "../../config/config.ts";
import { inWords } from "../../config/reader/duration.ts";
import { dueUntil, nextDue } from "../../fleet/schedules/due.ts";
import {
  type FireRow,
  firesOf,
  putSchedule,
  type ScheduleRow,
  scheduleRows,
  setPaused,
} from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { localMinute } from "../../util/time.ts";
import { configOf, hasStore, lookIntoStore, openSwept, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { scheduleNamed } from "./schedules.ts";

/** A schedule as every face shows it: its keys are a promise to users. */
export interface ScheduleView {
  agent: string;
  name: string;
  /** `every 1 h`, or the expression. */
  when: string;
  timezone?: string;
  state: "on" | "paused" | "off";
  overlap: ScheduleConfig["overlap"];
  catchUp: ScheduleConfig["catchUp"];
  /** How old a missed run may be to be made up for. */
  catchUpWindowMs: number;
  /** When it runs again by itself, where somebody said so. */
  pausedUntil?: string;
  /** Missing where none comes, or it is off, or paused until somebody resumes it. */
  next?: string;
  last?: FireView;
}

/** What became of due times. `ran`: its job has begun. */
export interface FireView {
  agent: string;
  schedule: string;
  due: string;
  /** The first of several in a row. */
  firstDue?: string;
  count: number;
  outcome: "ran" | "queued" | "looking" | "looked" | "skipped" | "missed" | "coalesced";
  reason?: string;
  job?: string;
}

/** All schedules of a project, by agent, with when each runs next. */
export async function schedulesOf(project: Project, now: Date): Promise<ScheduleView[]> {
  const config = await configOf(project);
  await using store = hasStore(project) ? await lookIntoStore(project) : undefined;
  return await viewsIn(config, store, now);
}

async function viewsIn(config: Config, store: Store | undefined, now: Date): Promise<ScheduleView[]> {
  // A store that can only be read may be too old to have any.
  const rows = store ? await scheduleRows(store).catch(() => []) : [];
  const views: ScheduleView[] = [];
  for (const agent of config.agents) {
    for (const schedule of agent.schedules) {
      const row = rows.find((each) => each.agent === agent.name && each.name === schedule.name);
      const [last] =
        store && row ? await firesOf(store, 1, { agent: agent.name, schedule: schedule.name }) : [];
      const isKnown = row?.definition === JSON.stringify(schedule.times);
      const due = isKnown ? row.nextDue : (firstGuess(schedule, now)?.toISOString() ?? null);
      const state = !schedule.enabled ? "off" : isPaused(row, now) ? "paused" : "on";
      const until = state === "paused" ? row?.pausedUntil : undefined;
      const next = nextFrom(schedule, due, state, until);
      const { times } = schedule;
      views.push({
        agent: agent.name,
        name: schedule.name,
        when: whenOf(schedule),
        ...(times.kind === "cron" && times.timezone !== undefined && { timezone: times.timezone }),
        state,
        ...{ overlap: schedule.overlap, catchUp: schedule.catchUp, catchUpWindowMs: schedule.windowMs },
        ...given({ pausedUntil: until ?? undefined, next }),
        ...(last && { last: fireView(last) }),
      });
    }
  }
  return views;
}

function isPaused(row: ScheduleRow | undefined, now: Date): boolean {
  if (!row?.pausedAt) return false;
  return row.pausedUntil === null || now < new Date(row.pausedUntil);
}

/** The first due time that leads to a run. */
function nextFrom(
  schedule: ScheduleConfig,
  due: string | null,
  state: ScheduleView["state"],
  until: string | null | undefined,
): string | undefined {
  if (due === null || state === "off") return undefined;
  if (state === "on") return due;
  if (!until) return undefined;
  const last = new Date(Date.parse(until) - 1);
  const next =
    due < until ? dueUntil(schedule, new Date(due), { since: last, now: last }).next : new Date(due);
  return next?.toISOString();
}

/** Of one that no fleet has seen yet. */
function firstGuess(schedule: ScheduleConfig, now: Date): Date | undefined {
  return schedule.times.kind === "interval" ? now : nextDue(schedule, now);
}

function whenOf({ times }: ScheduleConfig): string {
  switch (times.kind) {
    case "interval":
      return `every ${inWords(times.everyMs)}`;
    case "cron":
      return times.expression;
    case "webhook":
      return "when called";
  }
}

/** The due times that come, of all schedules that are on, the soonest first. */
export function upcoming(
  config: Config,
  views: readonly ScheduleView[],
  { until, most }: { until: Date; most: number },
): { at: Date; agent: string; schedule: string }[] {
  const found = views
    .filter(({ next }) => next !== undefined)
    .flatMap(({ agent, name, next }) => {
      const schedule = scheduleNamed(agentNamed(config, agent), name);
      const times: { at: Date; agent: string; schedule: string }[] = [];
      for (let at: Date | undefined = new Date(next ?? 0); at && at <= until && times.length < most; ) {
        times.push({ at, agent, schedule: name });
        at = nextDue(schedule, at);
      }
      return times;
    });
  return found.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, most);
}

/** The newest first. */
export async function fireHistory(
  project: Project,
  limit: number,
  of: { agent?: string; schedule?: string },
): Promise<FireView[]> {
  if (!hasStore(project)) return [];
  await using store = await lookIntoStore(project);
  return (await firesOf(store, limit, of).catch(() => [])).map(fireView);
}

export function fireView(row: FireRow & { status: string | null }): FireView {
  const { agent, schedule, due, firstDue, count, reason, job, status } = row;
  return {
    ...{ agent, schedule, due, count },
    ...(firstDue !== due && { firstDue }),
    outcome: outcomeOf(row.outcome, status),
    ...(reason !== null && { reason }),
    ...(job !== null && { job }),
  };
}

function outcomeOf(outcome: string, status: string | null): FireView["outcome"] {
  switch (outcome) {
    case "queued":
      // One that was forgotten had ended.
      return status === "queued" ? "queued" : "ran";
    case "skipped":
    case "missed":
    case "coalesced":
    case "looking":
    case "looked":
      return outcome;
    default:
      throw new Error(`${outcome} is no outcome of a schedule`);
  }
}

/** Due times of a schedule that is paused are skipped, until it is resumed. */
export async function pauseSchedule(
  project: Project,
  agent: string,
  name: string,
  paused: { at: Date; until?: Date } | null,
  now: Date,
): Promise<void> {
  if (paused?.until && paused.until <= now)
    throw new UsageError(
      `${localMinute(paused.until)} is past: a pause ends at a time that is still to come.`,
    );
  const schedule = scheduleNamed(agentNamed(await configOf(project), agent), name);
  await using store = await openSwept(project);
  const rows = await scheduleRows(store);
  if (!rows.some((row) => row.agent === agent && row.name === name)) {
    const nextAt = firstGuess(schedule, now)?.toISOString() ?? null;
    await putSchedule(store, { agent, name, definition: JSON.stringify(schedule.times), nextDue: nextAt });
  }
  const asked = paused && { at: paused.at.toISOString(), until: paused.until?.toISOString() ?? null };
  if (await setPaused(store, { agent, name }, asked)) return;
  throw new UsageError(`${name} of ${agent} is ${paused ? "paused already" : "not paused"}.`);
}
